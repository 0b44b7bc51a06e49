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


def _caching(function, maxsize):
    known = {}
    counts = [0, 0]

    def cached(*args, **named):
        if not _plain(args, named):
            counts[1] += 1
            return function(*args, **named)
        key = (args, tuple(named.items()))
        if key in known:
            counts[0] += 1
            value = known.pop(key)
            known[key] = value
            return value
        counts[1] += 1
        value = function(*args, **named)
        if maxsize is None or maxsize > 0:
            known[key] = value
            if maxsize is not None and len(known) > maxsize:
                del known[next(iter(known))]
        return value

    def cache_clear():
        known.clear()
        counts[0] = counts[1] = 0

    cached = wraps(function)(cached)
    cached.cache_clear = cache_clear
    cached.cache_info = lambda: _CacheInfo(counts[0], counts[1], maxsize, len(known))
    return cached


class _CacheInfo:
    def __init__(self, hits, misses, maxsize, currsize):
        self.hits = hits
        self.misses = misses
        self.maxsize = maxsize
        self.currsize = currsize

    def __repr__(self):
        return (f"CacheInfo(hits={self.hits}, misses={self.misses}, maxsize={self.maxsize}, "
                f"currsize={self.currsize})")


def lru_cache(maxsize=128, typed=False):
    if callable(maxsize):
        return _caching(maxsize, 128)
    return lambda function: _caching(function, maxsize)


def cache(function):
    return _caching(function, None)
