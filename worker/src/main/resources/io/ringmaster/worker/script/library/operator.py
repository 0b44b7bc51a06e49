def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def truediv(a, b):
    return a / b


def floordiv(a, b):
    return a // b


def mod(a, b):
    return a % b


def pow(a, b):
    return a**b


def neg(a):
    return -a


def not_(a):
    return not a


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def gt(a, b):
    return a > b


def ge(a, b):
    return a >= b


def and_(a, b):
    return a & b


def or_(a, b):
    return a | b


def xor(a, b):
    return a ^ b


def matmul(a, b):
    return a @ b


def contains(a, b):
    return b in a


def getitem(a, b):
    return a[b]


def itemgetter(*keys):
    if len(keys) == 1:
        return lambda value: value[keys[0]]
    return lambda value: tuple([value[key] for key in keys])


def attrgetter(name):
    def get(value):
        for part in name.split("."):
            value = getattr(value, part)
        return value

    return get


def methodcaller(name, *values, **named):
    return lambda value: getattr(value, name)(*values, **named)
