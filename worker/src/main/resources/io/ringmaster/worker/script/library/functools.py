cached_property = property


def total_ordering(cls):
    return cls
