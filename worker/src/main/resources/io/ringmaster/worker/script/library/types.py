"""What scripts use of types: an object with the attributes it is given."""


class SimpleNamespace:
    def __init__(self, mapping=(), /, **kwargs):
        for name, value in dict(mapping, **kwargs).items():
            setattr(self, name, value)

    def __repr__(self):
        inner = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"namespace({inner})"

    def __eq__(self, other):
        return isinstance(other, SimpleNamespace) and vars(self) == vars(other)
