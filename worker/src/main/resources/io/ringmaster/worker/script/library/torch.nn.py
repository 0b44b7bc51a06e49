import math
import torch
import torch.nn.functional as _F

_made = []


def Parameter(data=None, requires_grad=True):
    own = torch.empty(0) if data is None else data.detach()
    _made.append(own)
    return own


def _is_parameter(value):
    return any(value is one for one in _made)


class Module:
    def __init__(self):
        self.training = True
        self._buffer_names = set()

    def forward(self, *inputs, **named):
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *inputs, **named):
        return self.forward(*inputs, **named)

    def named_children(self):
        return [(n, v) for n, v in vars(self).items() if isinstance(v, Module)]

    def children(self):
        return [child for _, child in self.named_children()]

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        found = [(prefix, self)]
        for name, child in self.named_children():
            found.extend(child.named_modules(prefix=f"{prefix}.{name}" if prefix else name))
        return found

    def modules(self):
        return [module for _, module in self.named_modules()]

    def _named(self, prefix, recurse, wanted):
        found = []
        for path, module in self.named_modules() if recurse else [("", self)]:
            for name, value in vars(module).items():
                if wanted(module, name, value):
                    found.append((".".join([p for p in (prefix, path, name) if p]), value))
        return found

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named(prefix, recurse, lambda m, n, v: _is_parameter(v))

    def parameters(self, recurse=True):
        return iter([value for _, value in self.named_parameters(recurse=recurse)])

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        return self._named(
            prefix, recurse, lambda m, n, v: n in m._buffer_names and v is not None)

    def buffers(self, recurse=True):
        return iter([value for _, value in self.named_buffers(recurse=recurse)])

    def register_buffer(self, name, tensor, persistent=True):
        self._buffer_names.add(name)
        setattr(self, name, tensor)

    def register_parameter(self, name, param):
        setattr(self, name, param)

    def register_module(self, name, module):
        setattr(self, name, module)

    def add_module(self, name, module):
        setattr(self, name, module)

    def get_submodule(self, target):
        for name, module in self.named_modules():
            if name == target:
                return module
        raise AttributeError(f"{type(self).__name__} has no attribute `{target}`")

    def state_dict(self):
        return {**dict(self.named_parameters()), **dict(self.named_buffers())}

    def load_state_dict(self, state_dict, strict=True, assign=False):
        own = self.state_dict()
        missing = [name for name in own if name not in state_dict]
        unexpected = [name for name in state_dict if name not in own]
        if strict and (missing or unexpected):
            lines = [f"Error(s) in loading state_dict for {type(self).__name__}:"]
            if unexpected:
                names = ", ".join(f'"{name}"' for name in unexpected)
                lines.append(f"Unexpected key(s) in state_dict: {names}. ")
            if missing:
                names = ", ".join(f'"{name}"' for name in missing)
                lines.append(f"Missing key(s) in state_dict: {names}. ")
            raise RuntimeError("\n\t".join(lines))
        for name, value in own.items():
            if name in state_dict:
                if value.shape != state_dict[name].shape:
                    raise RuntimeError(
                        f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                        f"size mismatch for {name}: copying a param with shape "
                        f"{state_dict[name].shape} from checkpoint, the shape in current model "
                        f"is {value.shape}.")
                value.copy_(state_dict[name])

    def _convert(self, dtype):
        for module in self.modules():
            for name, value in list(vars(module).items()):
                parameter = _is_parameter(value)
                if (parameter or name in module._buffer_names) and value is not None:
                    if value.is_floating_point():
                        changed = value.to(dtype)
                        setattr(module, name, Parameter(changed) if parameter else changed)
        return self

    def to(self, *targets, dtype=None, device=None, non_blocking=False):
        for target in (*targets, dtype):
            if isinstance(target, torch.dtype):
                self._convert(target)
            elif isinstance(target, torch.Tensor):
                self._convert(target.dtype)
        return self

    def type(self, dst_type):
        return self._convert(dst_type)

    def float(self):
        return self._convert(torch.float32)

    def double(self):
        return self._convert(torch.float64)

    def half(self):
        return self._convert(torch.float16)

    def bfloat16(self):
        return self._convert(torch.bfloat16)

    def cpu(self):
        return self

    def train(self, mode=True):
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        return self

    def zero_grad(self, set_to_none=True):
        return None

    def apply(self, fn):
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def extra_repr(self):
        return ""

    def __repr__(self):
        lines = [f"({name}): {child!r}".replace("\n", "\n  ") for name, child in self.named_children()]
        extra = self.extra_repr()
        if not lines:
            return f"{type(self).__name__}({extra})"
        if extra:
            lines.insert(0, extra)
        return type(self).__name__ + "(\n  " + "\n  ".join(lines) + "\n)"


class Linear(Module):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        bound = 1 / math.sqrt(in_features) if in_features > 0 else 0
        made = torch.empty(out_features, in_features, dtype=dtype or torch.float32)
        self.weight = Parameter(made.uniform_(-bound, bound))
        self.bias = None
        if bias:
            made = torch.empty(out_features, dtype=dtype or torch.float32)
            self.bias = Parameter(made.uniform_(-bound, bound))

    def forward(self, input):
        return _F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return (f"in_features={self.in_features}, out_features={self.out_features}, "
                f"bias={self.bias is not None}")


class Embedding(Module):
    def __init__(self, num_embeddings, embedding_dim, padding_idx=None, device=None, dtype=None):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.weight = Parameter(torch.randn(num_embeddings, embedding_dim, dtype=dtype or torch.float32))

    def forward(self, input):
        return _F.embedding(input, self.weight)

    def extra_repr(self):
        return f"{self.num_embeddings}, {self.embedding_dim}"


class _Norm(Module):
    def __init__(self, normalized_shape, eps, elementwise_affine, bias, dtype):
        super().__init__()
        shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        made = dtype or torch.float32
        self.weight = Parameter(torch.ones(shape, dtype=made)) if elementwise_affine else None
        self.bias = Parameter(torch.zeros(shape, dtype=made)) if elementwise_affine and bias else None

    def extra_repr(self):
        return (f"{self.normalized_shape}, eps={self.eps}, "
                f"elementwise_affine={self.elementwise_affine}")


class LayerNorm(_Norm):
    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True,
                 device=None, dtype=None):
        super().__init__(normalized_shape, eps, elementwise_affine, bias, dtype)

    def forward(self, input):
        return _F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(_Norm):
    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__(normalized_shape, eps, elementwise_affine, False, dtype)

    def forward(self, input):
        return _F.rms_norm(input, self.normalized_shape, self.weight, self.eps)


class Sequential(Module):
    def __init__(self, *modules):
        super().__init__()
        given = modules[0].items() if len(modules) == 1 and isinstance(modules[0], dict) else enumerate(modules)
        for name, module in given:
            setattr(self, str(name), module)

    def forward(self, input):
        for module in self.children():
            input = module(input)
        return input

    def __len__(self):
        return len(self.children())

    def __iter__(self):
        return iter(self.children())

    def __getitem__(self, index):
        return Sequential(*self.children()[index]) if isinstance(index, slice) else self.children()[index]

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self


class ModuleList(Module):
    def __init__(self, modules=None):
        super().__init__()
        self.extend(modules or [])

    def append(self, module):
        setattr(self, str(len(self)), module)
        return self

    def extend(self, modules):
        for module in modules:
            self.append(module)
        return self

    def __len__(self):
        return len(self.children())

    def __iter__(self):
        return iter(self.children())

    def __getitem__(self, index):
        return ModuleList(self.children()[index]) if isinstance(index, slice) else self.children()[index]


class ModuleDict(Module):
    def __init__(self, modules=None):
        super().__init__()
        for name, module in (modules or {}).items():
            setattr(self, name, module)

    def __getitem__(self, key):
        return dict(self.named_children())[key]

    def __setitem__(self, key, module):
        setattr(self, key, module)

    def __contains__(self, key):
        return key in dict(self.named_children())

    def __len__(self):
        return len(self.children())

    def __iter__(self):
        return iter(dict(self.named_children()))

    def keys(self):
        return dict(self.named_children()).keys()

    def values(self):
        return self.children()

    def items(self):
        return self.named_children()


class ParameterList(Module):
    def __init__(self, values=None):
        super().__init__()
        for value in values or []:
            self.append(value)

    def append(self, value):
        setattr(self, str(len(self)), value if _is_parameter(value) else Parameter(value))
        return self

    def __len__(self):
        return len(list(self.parameters()))

    def __iter__(self):
        return self.parameters()

    def __getitem__(self, index):
        return list(self.parameters())[index]


class Identity(Module):
    def __init__(self, *ignored, **named):
        super().__init__()

    def forward(self, input):
        return input


class Flatten(Module):
    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input):
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self):
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Dropout(Module):
    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        self.p = p
        self.inplace = inplace

    def forward(self, input):
        if self.training and self.p:
            raise RuntimeError(
                "Dropout(training=True) is not available: a golden must not be random; "
                "call eval() on the module")
        return input

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class ReLU(Module):
    def __init__(self, inplace=False):
        super().__init__()

    def forward(self, input):
        return _F.relu(input)


class SiLU(Module):
    def __init__(self, inplace=False):
        super().__init__()

    def forward(self, input):
        return _F.silu(input)


class GELU(Module):
    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return _F.gelu(input, approximate=self.approximate)

    def extra_repr(self):
        return f"approximate={self.approximate!r}"


class Sigmoid(Module):
    def forward(self, input):
        return torch.sigmoid(input)


class Tanh(Module):
    def forward(self, input):
        return torch.tanh(input)


class Softplus(Module):
    def forward(self, input):
        return _F.softplus(input)


class LeakyReLU(Module):
    def __init__(self, negative_slope=0.01, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, input):
        return _F.leaky_relu(input, self.negative_slope)

    def extra_repr(self):
        return f"negative_slope={self.negative_slope}"


class Softmax(Module):
    def __init__(self, dim=None):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return _F.softmax(input, dim=self.dim)

    def extra_repr(self):
        return f"dim={self.dim}"


class LogSoftmax(Softmax):
    def forward(self, input):
        return _F.log_softmax(input, dim=self.dim)


class _Loss(Module):
    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction


class MSELoss(_Loss):
    def forward(self, input, target):
        return _F.mse_loss(input, target, reduction=self.reduction)


class L1Loss(_Loss):
    def forward(self, input, target):
        return _F.l1_loss(input, target, reduction=self.reduction)


class CrossEntropyLoss(_Loss):
    def forward(self, input, target):
        return _F.cross_entropy(input, target, reduction=self.reduction)


class init:
    @staticmethod
    def zeros_(tensor):
        return tensor.zero_()

    @staticmethod
    def ones_(tensor):
        return tensor.fill_(1)

    @staticmethod
    def constant_(tensor, val):
        return tensor.fill_(val)

    @staticmethod
    def normal_(tensor, mean=0.0, std=1.0, generator=None):
        return tensor.normal_(mean, std, generator=generator)

    @staticmethod
    def uniform_(tensor, a=0.0, b=1.0, generator=None):
        return tensor.uniform_(a, b, generator=generator)

    @staticmethod
    def xavier_uniform_(tensor, gain=1.0, generator=None):
        bound = gain * math.sqrt(6.0 / (tensor.shape[0] + tensor.shape[1]))
        return tensor.uniform_(-bound, bound, generator=generator)

    @staticmethod
    def xavier_normal_(tensor, gain=1.0, generator=None):
        std = gain * math.sqrt(2.0 / (tensor.shape[0] + tensor.shape[1]))
        return tensor.normal_(0.0, std, generator=generator)

    @staticmethod
    def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
        fan = tensor.shape[1] if mode == "fan_in" else tensor.shape[0]
        bound = math.sqrt(6.0 / ((1 + a ** 2) * fan))
        return tensor.uniform_(-bound, bound, generator=generator)
