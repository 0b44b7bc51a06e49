class Counter:
    _mapping_ = True

    def __init__(self, iterable=None, **named):
        self._counts = {}
        self.update(iterable, **named)

    def update(self, iterable=None, **named):
        if iterable is not None:
            if isinstance(iterable, (dict, Counter)):
                for key, value in iterable.items():
                    self._counts[key] = self._counts.get(key, 0) + value
            else:
                for key in iterable:
                    self._counts[key] = self._counts.get(key, 0) + 1
        for key, value in named.items():
            self._counts[key] = self._counts.get(key, 0) + value

    def __getitem__(self, key):
        return self._counts.get(key, 0)

    def __setitem__(self, key, value):
        self._counts[key] = value

    def __contains__(self, key):
        return key in self._counts

    def __iter__(self):
        return iter(self._counts)

    def __len__(self):
        return len(self._counts)

    def __eq__(self, other):
        counts = other._counts if isinstance(other, Counter) else other
        return self._counts == counts

    def __ne__(self, other):
        return not self == other

    def __delitem__(self, key):
        self._counts.pop(key, None)

    def __add__(self, other):
        return _counted(self, other, lambda a, b: a + b)

    def __sub__(self, other):
        return _counted(self, other, lambda a, b: a - b)

    def __or__(self, other):
        return _counted(self, other, max)

    def __and__(self, other):
        return _counted(self, other, min)

    def subtract(self, iterable=None, **named):
        taken = Counter(iterable, **named)
        for key, value in taken.items():
            self._counts[key] = self._counts.get(key, 0) - value

    def copy(self):
        return Counter(self._counts)

    def pop(self, key, *default):
        return self._counts.pop(key, *default)

    def clear(self):
        self._counts.clear()

    def __repr__(self):
        return "Counter(" + repr(dict(self.most_common())) + ")"

    def get(self, key, default=None):
        return self._counts.get(key, default)

    def keys(self):
        return self._counts.keys()

    def values(self):
        return self._counts.values()

    def items(self):
        return self._counts.items()

    def total(self):
        return sum(self._counts.values())

    def elements(self):
        for key, value in self._counts.items():
            for _ in range(value):
                yield key

    def most_common(self, n=None):
        ordered = sorted(self._counts.items(), key=lambda item: item[1], reverse=True)
        return ordered if n is None else ordered[:n]


def _counted(left, right, combine):
    """What both count, combined; as in Python, only what is above 0 stays."""
    result = Counter()
    for key in list(left) + [key for key in right if key not in left]:
        count = combine(left[key], right[key])
        if count > 0:
            result[key] = count
    return result


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for one in self.maps:
            if key in one:
                return one[key]
        raise KeyError(key)

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        if key not in self.maps[0]:
            raise KeyError("Key not found in the first mapping: " + repr(key))
        del self.maps[0][key]

    def __contains__(self, key):
        return any([key in one for one in self.maps])

    def __iter__(self):
        merged = {}
        for one in reversed(self.maps):
            for key in one:
                merged[key] = True
        return iter(merged)

    def __len__(self):
        return len(list(iter(self)))

    def __bool__(self):
        return any([len(one) > 0 for one in self.maps])

    def __eq__(self, other):
        return dict(self.items()) == dict(other.items())

    def __repr__(self):
        return "ChainMap(" + ", ".join([repr(one) for one in self.maps]) + ")"

    def get(self, key, default=None):
        return self[key] if key in self else default

    def keys(self):
        return dict(self.items()).keys()

    def values(self):
        return dict(self.items()).values()

    def items(self):
        merged = {}
        for key in self:
            merged[key] = self[key]
        return merged.items()

    def new_child(self, m=None):
        return ChainMap({} if m is None else m, *self.maps)

    @property
    def parents(self):
        return ChainMap(*self.maps[1:])


class _deque_iterator:
    def __init__(self, of):
        self._of = of
        self._changes = of._changes
        self._place = 0

    def __iter__(self):
        return self

    def __next__(self):
        if self._of._changes != self._changes:
            raise RuntimeError("deque mutated during iteration")
        if self._place >= len(self._of._items):
            raise StopIteration
        self._place = self._place + 1
        return self._of._items[self._place - 1]


class deque:
    _sequence_ = True

    def __init__(self, iterable=(), maxlen=None):
        self.maxlen = maxlen
        self._items = []
        self._changes = 0
        self.extend(iterable)

    def append(self, item):
        self._changes += 1
        self._items.append(item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            del self._items[0]

    def appendleft(self, item):
        self._changes += 1
        self._items.insert(0, item)
        if self.maxlen is not None and len(self._items) > self.maxlen:
            del self._items[-1]

    def extend(self, iterable):
        for item in iterable:
            self.append(item)

    def extendleft(self, iterable):
        for item in iterable:
            self.appendleft(item)

    def pop(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        return self._items.pop()

    def popleft(self):
        if not self._items:
            raise IndexError("pop from an empty deque")
        self._changes += 1
        return self._items.pop(0)

    def clear(self):
        self._changes += 1
        self._items.clear()

    def rotate(self, n=1):
        self._changes += 1
        if self._items:
            n = n % len(self._items)
            self._items = self._items[-n:] + self._items[:-n] if n else self._items

    def count(self, item):
        return self._items.count(item)

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return _deque_iterator(self)

    def __getitem__(self, place):
        return self._items[place]

    def __setitem__(self, place, item):
        self._items[place] = item

    def __contains__(self, item):
        return item in self._items

    def __eq__(self, other):
        return isinstance(other, deque) and self._items == other._items

    def __repr__(self):
        limit = "" if self.maxlen is None else ", maxlen=" + repr(self.maxlen)
        return "deque(" + repr(self._items) + limit + ")"
