import random

float32 = "float32"


class Tensor:
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, i):
        return Tensor(self.rows[i])

    def flat(self):
        out, todo = [], [self.rows]
        while todo:
            one = todo.pop(0)
            if isinstance(one, list):
                todo = one + todo
            else:
                out.append(one)
        return out

    def map(self, f):
        def go(rows):
            return [go(r) for r in rows] if isinstance(rows, list) else f(rows)

        return Tensor(go(self.rows))

    def zip(self, other, f):
        def go(a, b):
            return [go(x, y) for x, y in zip(a, b)] if isinstance(a, list) else f(a, b)

        return Tensor(go(self.rows, other.rows))

    def __mul__(self, k):
        return self.map(lambda v: v * k)

    def __add__(self, k):
        return self.map(lambda v: v + k)

    def __sub__(self, other):
        return self.zip(other, lambda a, b: a - b)

    def abs(self):
        return self.map(abs)

    def max(self):
        return Tensor([max(self.flat())])

    def item(self):
        return self.flat()[0]

    def data_ptr(self):
        return id(self.rows)

    @property
    def shape(self):
        return len(self.flat())

    def stride(self):
        return 1

    def numel(self):
        return len(self.flat())

    def allclose(self, other, rtol=1e-5, atol=1e-8):
        return all(abs(a - b) <= atol + rtol * abs(b) for a, b in zip(self.flat(), other.flat()))


def full(shape, value):
    return value if not shape else [full(shape[1:], value) for _ in range(shape[0])]


def zeros(shape, dtype=None):
    return Tensor(full(shape, 0.0))


def randn(shape, dtype=None):
    return Tensor(full(shape, 0.0)).map(lambda _: random.random())


def stack(tensors):
    return Tensor([t.rows for t in tensors])


def allclose(a, b, rtol=1e-5, atol=1e-8):
    return a.allclose(b, rtol=rtol, atol=atol)
