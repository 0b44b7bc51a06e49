def collect(generation=2):
    return 0


def enable():
    return None


def disable():
    return None
