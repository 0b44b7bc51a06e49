class Flag(Enum):
    _flag_ = True
    _keeps_ = False

    @classmethod
    def _missing_(cls, value):
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError(f"{value!r} is not a valid {cls.__name__}")
        known = 0
        for one in cls.__members__.values():
            known |= one.value
        bits = (1 << known.bit_length()) - 1
        if not ~bits <= value <= bits or value & (bits ^ known):
            if not cls._keeps_:
                width = max(value.bit_length(), known.bit_length())
                raise ValueError(
                    f"<flag '{cls.__name__}'> invalid value {value!r}\n"
                    f"    given {_bits(value, width)}\n  allowed {_bits(known, width)}")
            if value < 0:
                value = max(bits + 1, 2 ** value.bit_length()) + value
        if value < 0:
            value = bits + 1 + value
        for one in cls.__members__.values():
            if one.value == value:
                return one
        names = []
        unknown = value
        for one in cls:
            if one.value & value:
                names.append(one.name)
                unknown &= ~one.value
        if names and unknown:
            names.append(str(unknown))
        return _pseudo(cls, "|".join(names) or None, value)

    def _with(self, other):
        return other.value if isinstance(other, type(self)) else None

    def _combined(self, other, how):
        value = self._with(other)
        return NotImplemented if value is None else type(self)(how(self.value, value))

    def __or__(self, other):
        return self._combined(other, lambda a, b: a | b)

    def __and__(self, other):
        return self._combined(other, lambda a, b: a & b)

    def __xor__(self, other):
        return self._combined(other, lambda a, b: a ^ b)

    def __invert__(self):
        return type(self)(~self.value)

    def __contains__(self, other):
        if not isinstance(other, type(self)):
            raise TypeError(
                f"unsupported operand type(s) for 'in': '{type(other).__name__}' and "
                f"'{type(self).__name__}'")
        return other.value & self.value == other.value

    def __iter__(self):
        return iter([one for one in type(self) if one.value & self.value])

    def __len__(self):
        return self.value.bit_count()

    def __bool__(self):
        return self.value != 0

    def __str__(self):
        name = type(self).__name__
        return f"{name}({self.value})" if self.name is None else f"{name}.{self.name}"

    def __repr__(self):
        name = type(self).__name__
        return f"<{name}: {self.value}>" if self.name is None else f"<{name}.{self.name}: {self.value}>"


class IntFlag(int, Flag):
    _keeps_ = True

    def _with(self, other):
        if isinstance(other, type(self)):
            return other.value
        return other if isinstance(other, int) else None

    def __ror__(self, other):
        return self | other

    def __rand__(self, other):
        return self & other

    def __rxor__(self, other):
        return self ^ other

    def __str__(self):
        return str(self.value)


def _bits(value, width):
    digits = format(value if value >= 0 else (1 << width) + value, f"0{width}b")
    return "0b" + ("1 " if value < 0 else "0 ") + digits
