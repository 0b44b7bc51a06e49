def islice(iterable, *bounds):
    if len(bounds) == 1:
        start, stop, step = 0, bounds[0], 1
    else:
        start = 0 if bounds[0] is None else bounds[0]
        stop = bounds[1]
        step = bounds[2] if len(bounds) > 2 and bounds[2] is not None else 1
    if stop is not None and start >= stop:
        return
    wanted = start
    for place, item in enumerate(iterable):
        if place == wanted:
            yield item
            wanted += step
        if stop is not None and (place + 1 >= stop or wanted >= stop):
            return


def count(start=0, step=1):
    value = start
    while True:
        yield value
        value += step


def repeat(object, times=None):
    made = 0
    while times is None or made < times:
        yield object
        made += 1


def cycle(iterable):
    kept = []
    for item in iterable:
        yield item
        kept.append(item)
    while kept:
        for item in kept:
            yield item


def zip_longest(*iterables, fillvalue=None):
    rows = [list(one) for one in iterables]
    length = max([len(row) for row in rows]) if rows else 0
    for place in range(length):
        yield tuple([row[place] if place < len(row) else fillvalue for row in rows])


def starmap(function, iterable):
    for arguments in iterable:
        yield function(*arguments)


def takewhile(predicate, iterable):
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def filterfalse(predicate, iterable):
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress(data, selectors):
    for item, selected in zip(data, selectors):
        if selected:
            yield item


def pairwise(iterable):
    first = True
    for item in iterable:
        if not first:
            yield (before, item)
        before = item
        first = False


def batched(iterable, n):
    batch = []
    for item in iterable:
        batch.append(item)
        if len(batch) == n:
            yield tuple(batch)
            batch = []
    if batch:
        yield tuple(batch)


def groupby(iterable, key=None):
    group = []
    current = None
    for item in iterable:
        value = item if key is None else key(item)
        if group and value != current:
            yield (current, iter(group))
            group = []
        current = value
        group.append(item)
    if group:
        yield (current, iter(group))


def tee(iterable, n=2):
    kept = list(iterable)
    return tuple([iter(kept) for _ in range(n)])


def combinations_with_replacement(iterable, r):
    pool = list(iterable)
    for places in product(range(len(pool)), repeat=r):
        if list(places) == sorted(places):
            yield tuple([pool[place] for place in places])


def accumulate(iterable, func=None, *, initial=None):
    started = initial is not None
    total = initial
    if started:
        yield total
    for item in iterable:
        if not started:
            total = item
            started = True
        else:
            total = total + item if func is None else func(total, item)
        yield total
