def mean(data):
    values = list(data)
    return sum(values) / len(values)


def fmean(data, weights=None):
    values = [float(value) for value in data]
    if not values:
        raise ValueError("fmean requires at least one data point")
    if weights is None:
        return sum(values) / len(values)
    weights = list(weights)
    if len(weights) != len(values):
        raise ValueError("data and weights must be the same length")
    return sum([value * weight for value, weight in zip(values, weights)]) / sum(weights)


def median(data):
    values = sorted(data)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def pvariance(data):
    values = list(data)
    centre = mean(values)
    return sum([(value - centre) ** 2 for value in values]) / len(values)


def variance(data):
    values = list(data)
    return pvariance(values) * len(values) / (len(values) - 1)


def stdev(data):
    return variance(data) ** 0.5


def pstdev(data):
    return pvariance(data) ** 0.5
