"""Dates and spans; the clock is that of time, the same at every run."""

import functools
import time

MINYEAR = 1
MAXYEAR = 9999
_DAY = 86400 * 1000000
_MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September",
           "October", "November", "December"]
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def _days(year, month, day):
    y = year - (month <= 2)
    m = month + 12 * (month <= 2)
    return 365 * y + y // 4 - y // 100 + y // 400 + (153 * (m - 3) + 2) // 5 + day - 719469


def _civil(days):
    days += 719468
    era = days // 146097
    doe = days - era * 146097
    yoe = (doe - doe // 1460 + doe // 36524 - doe // 146096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    part = (5 * doy + 2) // 153
    month = part + 3 if part < 10 else part - 9
    return yoe + era * 400 + (month <= 2), month, doy - (153 * part + 2) // 5 + 1


@functools.total_ordering
class timedelta:
    def __init__(self, days=0, seconds=0, microseconds=0, milliseconds=0, minutes=0, hours=0, weeks=0):
        whole = ((weeks * 7 + days) * 86400 + hours * 3600 + minutes * 60 + seconds) * 1000000
        self._us = round(whole + milliseconds * 1000 + microseconds)

    @property
    def days(self):
        return self._us // _DAY

    @property
    def seconds(self):
        return self._us % _DAY // 1000000

    @property
    def microseconds(self):
        return self._us % 1000000

    def total_seconds(self):
        return self._us / 1000000

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        return timedelta(microseconds=self._us + other._us)

    def __sub__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        return timedelta(microseconds=self._us - other._us)

    def __neg__(self):
        return timedelta(microseconds=-self._us)

    def __abs__(self):
        return timedelta(microseconds=abs(self._us))

    def __mul__(self, by):
        return timedelta(microseconds=self._us * by)

    def __rmul__(self, by):
        return self * by

    def __truediv__(self, by):
        if isinstance(by, timedelta):
            return self._us / by._us
        return timedelta(microseconds=self._us / by)

    def __floordiv__(self, by):
        if isinstance(by, timedelta):
            return self._us // by._us
        return timedelta(microseconds=self._us // by)

    def __bool__(self):
        return self._us != 0

    def __eq__(self, other):
        return isinstance(other, timedelta) and self._us == other._us

    def __lt__(self, other):
        return self._us < other._us

    def __hash__(self):
        return hash(self._us)

    def __str__(self):
        rest = self.seconds
        text = f"{rest // 3600}:{rest // 60 % 60:02d}:{rest % 60:02d}"
        if self.microseconds:
            text += f".{self.microseconds:06d}"
        days = self.days
        return text if not days else f"{days} day{'' if abs(days) == 1 else 's'}, {text}"

    def __repr__(self):
        return f"datetime.timedelta(days={self.days}, seconds={self.seconds}, microseconds={self.microseconds})"


class timezone:
    def __init__(self, offset, name="UTC"):
        if offset != timedelta(0):
            raise ValueError("scripts know no other time than UTC")
        self._name = name

    def __str__(self):
        return self._name

    def __repr__(self):
        return "datetime.timezone.utc"


timezone.utc = timezone(timedelta(0))
UTC = timezone.utc


@functools.total_ordering
class date:
    def __init__(self, year, month, day):
        self._set(_days(year, month, day) * _DAY)
        if (self.year, self.month, self.day) != (year, month, day):
            raise ValueError("day is out of range for month")

    def _set(self, us):
        self._us = us
        self.year, self.month, self.day = _civil(us // _DAY)

    @classmethod
    def today(cls):
        now = datetime.now()
        return cls(now.year, now.month, now.day)

    def weekday(self):
        return (self._us // _DAY + 3) % 7

    def isoformat(self):
        return f"{self.year:04d}-{self.month:02d}-{self.day:02d}"

    def strftime(self, format):
        us = self._us % _DAY
        h, m, s = us // 3600000000, us // 60000000 % 60, us // 1000000 % 60
        known = {
            "Y": f"{self.year:04d}", "y": f"{self.year % 100:02d}", "m": f"{self.month:02d}",
            "d": f"{self.day:02d}", "H": f"{h:02d}", "I": f"{(h + 11) % 12 + 1:02d}",
            "p": "AM" if h < 12 else "PM", "M": f"{m:02d}", "S": f"{s:02d}",
            "f": f"{us % 1000000:06d}", "B": _MONTHS[self.month - 1],
            "b": _MONTHS[self.month - 1][:3], "A": _DAYS[self.weekday()],
            "a": _DAYS[self.weekday()][:3], "j": f"{_days(self.year, self.month, self.day) - _days(self.year, 1, 1) + 1:03d}",
            "F": date.isoformat(self), "T": f"{h:02d}:{m:02d}:{s:02d}", "z": "", "Z": "", "%": "%"}
        parts = format.split("%")
        text = parts[0]
        at = 1
        while at < len(parts):
            part = parts[at]
            if part == "" and at + 1 < len(parts):
                text += "%" + parts[at + 1]
                at += 2
                continue
            if not part or part[0] not in known:
                raise ValueError(f"Invalid format string: {format!r}")
            text += known[part[0]] + part[1:]
            at += 1
        return text

    def __format__(self, spec):
        return self.strftime(spec) if spec else str(self)

    def __add__(self, other):
        if not isinstance(other, timedelta):
            return NotImplemented
        return self._moved(other._us)

    def __sub__(self, other):
        if isinstance(other, timedelta):
            return self._moved(-other._us)
        if not isinstance(other, date):
            return NotImplemented
        return timedelta(microseconds=self._us - other._us)

    def _moved(self, us):
        made = date(1970, 1, 1)
        made._set((self._us + us) // _DAY * _DAY)
        return made

    def __eq__(self, other):
        return isinstance(other, date) and self._us == other._us

    def __lt__(self, other):
        return self._us < other._us

    def __hash__(self):
        return hash(self._us)

    def __str__(self):
        return self.isoformat()

    def __repr__(self):
        return f"datetime.date({self.year}, {self.month}, {self.day})"


class datetime(date):
    def __init__(self, year, month, day, hour=0, minute=0, second=0, microsecond=0, tzinfo=None):
        super().__init__(year, month, day)
        self.tzinfo = tzinfo
        self._set(self._us + ((hour * 60 + minute) * 60 + second) * 1000000 + microsecond)

    def _set(self, us):
        super()._set(us)
        us = us % _DAY
        self.hour, self.minute = us // 3600000000, us // 60000000 % 60
        self.second, self.microsecond = us // 1000000 % 60, us % 1000000

    def _moved(self, us):
        made = datetime(1970, 1, 1, tzinfo=self.tzinfo)
        made._set(self._us + us)
        return made

    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)

    @classmethod
    def utcnow(cls):
        return cls.now()

    @classmethod
    def today(cls):
        return cls.now()

    @classmethod
    def fromtimestamp(cls, timestamp, tz=None):
        made = cls(1970, 1, 1, tzinfo=tz)
        made._set(round(timestamp * 1000000))
        return made

    def timestamp(self):
        return self._us / 1000000

    def date(self):
        return date(self.year, self.month, self.day)

    def isoformat(self, sep="T", timespec="auto"):
        text = f"{super().isoformat()}{sep}{self.hour:02d}:{self.minute:02d}:{self.second:02d}"
        if timespec == "milliseconds":
            text += f".{self.microsecond // 1000:03d}"
        elif timespec == "microseconds" or (timespec == "auto" and self.microsecond):
            text += f".{self.microsecond:06d}"
        return text + ("+00:00" if self.tzinfo else "")

    def __str__(self):
        return self.isoformat(" ")

    def __repr__(self):
        return (f"datetime.datetime({self.year}, {self.month}, {self.day}, {self.hour}, "
                f"{self.minute}, {self.second}, {self.microsecond})")
