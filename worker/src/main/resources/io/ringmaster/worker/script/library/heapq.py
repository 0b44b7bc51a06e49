def heappush(heap, item):
    heap.append(item)
    at = len(heap) - 1
    while at > 0 and heap[at] < heap[(at - 1) // 2]:
        heap[at], heap[(at - 1) // 2] = heap[(at - 1) // 2], heap[at]
        at = (at - 1) // 2


def heappop(heap):
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _down(heap, 0)
    return first


def heapify(x):
    for at in reversed(range(len(x) // 2)):
        _down(x, at)


def heappushpop(heap, item):
    if heap and heap[0] < item:
        item, heap[0] = heap[0], item
        _down(heap, 0)
    return item


def heapreplace(heap, item):
    first = heap[0]
    heap[0] = item
    _down(heap, 0)
    return first


def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[:n]


def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[:n]


def merge(*iterables, key=None, reverse=False):
    everything = []
    for iterable in iterables:
        everything.extend(iterable)
    return iter(sorted(everything, key=key, reverse=reverse))


def _down(heap, at):
    while True:
        least = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < len(heap) and heap[child] < heap[least]:
                least = child
        if least == at:
            return
        heap[at], heap[least] = heap[least], heap[at]
        at = least
