import collections


def cmp_to_key(mycmp):
    class Key:
        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return mycmp(self.obj, other.obj) < 0

        def __gt__(self, other):
            return mycmp(self.obj, other.obj) > 0

        def __eq__(self, other):
            return mycmp(self.obj, other.obj) == 0

        def __le__(self, other):
            return mycmp(self.obj, other.obj) <= 0

        def __ge__(self, other):
            return mycmp(self.obj, other.obj) >= 0

    return Key


_CacheInfo = collections.namedtuple("CacheInfo", ["hits", "misses", "maxsize", "currsize"])


def _key(args, named, typed):
    key = (args, tuple(named.items()))
    if typed:
        return (key, tuple(type(one) for one in args), tuple(type(one) for one in named.values()))
    if len(args) == 1 and not named and type(args[0]) in (int, str):
        return args[0]
    return key


def _caching(function, maxsize, typed=False):
    if maxsize is not None and not isinstance(maxsize, int):
        raise TypeError("Expected first argument to be an integer, a callable, or None")
    size = maxsize if maxsize is None else max(maxsize, 0)
    known = {}
    counts = [0, 0]

    def cached(*args, **named):
        if size == 0 or not _plain(args, named):
            counts[1] += 1
            return function(*args, **named)
        key = _key(args, named, typed)
        if key in known:
            counts[0] += 1
            value = known.pop(key)
            known[key] = value
            return value
        counts[1] += 1
        value = function(*args, **named)
        known[key] = value
        if size is not None and len(known) > size:
            del known[next(iter(known))]
        return value

    def cache_clear():
        known.clear()
        counts[0] = counts[1] = 0

    cached = wraps(function)(cached)
    cached.cache_clear = cache_clear
    cached.cache_info = lambda: _CacheInfo(counts[0], counts[1], size, len(known))
    cached.cache_parameters = lambda: {"maxsize": size, "typed": typed}
    return cached


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _caching(maxsize, 128, typed)
    return lambda function: _caching(function, maxsize, typed)


def cache(function):
    return _caching(function, None)
