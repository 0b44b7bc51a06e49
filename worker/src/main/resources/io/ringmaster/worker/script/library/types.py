"""What scripts use of types: an object with the attributes it is given, a dict to read only."""

NoneType = type(None)


class SimpleNamespace:
    def __init__(self, mapping=(), /, **kwargs):
        for name, value in dict(mapping, **kwargs).items():
            setattr(self, name, value)

    def __repr__(self):
        inner = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"namespace({inner})"

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and vars(self) == vars(other)


class MappingProxyType:
    _mapping_ = True

    def __init__(self, mapping):
        self._of = mapping

    def __getitem__(self, key):
        return self._of[key]

    def __contains__(self, key):
        return key in self._of

    def __iter__(self):
        return iter(self._of)

    def __len__(self):
        return len(self._of)

    def __eq__(self, other):
        return self._of == (other._of if isinstance(other, MappingProxyType) else other)

    def get(self, key, default=None):
        return self._of.get(key, default)

    def keys(self):
        return self._of.keys()

    def values(self):
        return self._of.values()

    def items(self):
        return self._of.items()

    def copy(self):
        return dict(self._of)

    def __repr__(self):
        return f"mappingproxy({self._of!r})"
