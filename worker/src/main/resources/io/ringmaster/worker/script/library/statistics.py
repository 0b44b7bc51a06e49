class StatisticsError(ValueError):
    pass


def _values(data, least, words):
    values = list(data)
    if len(values) < least:
        raise StatisticsError(words)
    return values


def mean(data):
    values = _values(data, 1, "mean requires at least one data point")
    return sum(values) / len(values)


def fmean(data, weights=None):
    values = [float(value) for value in data]
    if not values:
        raise StatisticsError("fmean requires at least one data point")
    if weights is None:
        return sum(values) / len(values)
    weights = list(weights)
    if len(weights) != len(values):
        raise StatisticsError("data and weights must be the same length")
    return sum([value * weight for value, weight in zip(values, weights)]) / sum(weights)


def median(data):
    values = sorted(_values(data, 1, "no median for empty data"))
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def pvariance(data):
    values = _values(data, 1, "variance requires at least one data point")
    centre = mean(values)
    return sum([(value - centre) ** 2 for value in values]) / len(values)


def variance(data):
    values = _values(data, 2, "variance requires at least two data points")
    return pvariance(values) * len(values) / (len(values) - 1)


def stdev(data):
    return variance(data) ** 0.5


def pstdev(data):
    return pvariance(data) ** 0.5
