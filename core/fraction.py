"""Fractions that are computed sooner: the values of `fractions.Fraction`, by shorter ways.

An operation of `Fraction` takes three calls of Python and asks what kinds of numbers it got. Here
two fractions, or a fraction and a whole number, meet in one call; everything else goes the old way.
Values, texts and hashes are the same; a test compares them.
"""

import fractions
from math import gcd
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fractions import Fraction as Fraction
else:
    _bare = object.__new__
    _Slow = fractions.Fraction
    _hashed = _Slow.__hash__

    class Fraction(fractions.Fraction):
        """`fractions.Fraction`, value for value."""

        __slots__ = ()

        # The slots themselves: a property takes a call.
        numerator = fractions.Fraction._numerator
        denominator = fractions.Fraction._denominator

        def __new__(cls, numerator: Any = 0, denominator: Any = None) -> Any:
            if type(numerator) is int:
                if denominator is None:
                    return _made(numerator, 1)
                if type(denominator) is int and denominator:
                    shared = gcd(numerator, denominator)
                    if denominator < 0:
                        shared = -shared
                    if shared != 1:
                        numerator //= shared
                        denominator //= shared
                    return _made(numerator, denominator)
            elif denominator is None:
                if type(numerator) is Fraction:
                    return numerator
                if type(numerator) is str and (read := _read(numerator)) is not None:
                    return read
            return super().__new__(cls, numerator, denominator)

        @classmethod
        def __subclasshook__(cls, other: type) -> Any:
            return True if other is _Slow else NotImplemented  # to `isinstance`, one is the other

        def __add__(self, other: Any) -> Any:
            if type(other) is Fraction:
                return _sum(self, other.numerator, other.denominator)
            if type(other) is int:
                under = self.denominator
                return _made(self.numerator + other * under, under)
            return _ours(super().__add__(other))

        def __radd__(self, other: Any) -> Any:
            if type(other) is int:
                under = self.denominator
                return _made(self.numerator + other * under, under)
            return _ours(super().__radd__(other))

        def __sub__(self, other: Any) -> Any:
            if type(other) is Fraction:
                return _sum(self, -other.numerator, other.denominator)
            if type(other) is int:
                under = self.denominator
                return _made(self.numerator - other * under, under)
            return _ours(super().__sub__(other))

        def __rsub__(self, other: Any) -> Any:
            if type(other) is int:
                under = self.denominator
                return _made(other * under - self.numerator, under)
            return _ours(super().__rsub__(other))

        def __mul__(self, other: Any) -> Any:
            if type(other) is Fraction:
                return _product(self, other.numerator, other.denominator)
            if type(other) is int:
                return _times(self, other)
            return _ours(super().__mul__(other))

        def __rmul__(self, other: Any) -> Any:
            return _times(self, other) if type(other) is int else _ours(super().__rmul__(other))

        def __truediv__(self, other: Any) -> Any:
            if type(other) is Fraction and other.numerator:
                return _over(self, other.numerator, other.denominator)
            if type(other) is int and other:
                return _over(self, other, 1)
            return _ours(super().__truediv__(other))

        def __rtruediv__(self, other: Any) -> Any:
            if type(other) is int and self.numerator:
                return _over(_made(other, 1), self.numerator, self.denominator)
            return _ours(super().__rtruediv__(other))

        def __pow__(self, power: Any) -> Any:
            if type(power) is Fraction and power.denominator == 1:
                power = power.numerator
            if type(power) is int and power >= 0:
                return _made(self.numerator**power, self.denominator**power)
            return _ours(super().__pow__(power))

        def __neg__(self) -> Any:
            return _made(-self.numerator, self.denominator)

        def __pos__(self) -> Any:
            return self

        def __abs__(self) -> Any:
            return _made(abs(self.numerator), self.denominator)

        def __mod__(self, other: Any) -> Any:
            return _ours(super().__mod__(other))

        def __rmod__(self, other: Any) -> Any:
            return _ours(super().__rmod__(other))

        def __bool__(self) -> bool:
            return self.numerator != 0

        def __eq__(self, other: object) -> Any:
            if type(other) is Fraction:
                return self.numerator == other.numerator and self.denominator == other.denominator
            if type(other) is int:
                return self.denominator == 1 and self.numerator == other
            return super().__eq__(other)

        def __hash__(self) -> int:
            return hash(self.numerator) if self.denominator == 1 else _hashed(self)

        def __lt__(self, other: Any) -> Any:
            if type(other) is Fraction:
                return self.numerator * other.denominator < other.numerator * self.denominator
            if type(other) is int:
                return self.numerator < other * self.denominator
            return super().__lt__(other)

        def __le__(self, other: Any) -> Any:
            if type(other) is Fraction:
                return self.numerator * other.denominator <= other.numerator * self.denominator
            if type(other) is int:
                return self.numerator <= other * self.denominator
            return super().__le__(other)

        def __gt__(self, other: Any) -> Any:
            if type(other) is Fraction:
                return self.numerator * other.denominator > other.numerator * self.denominator
            if type(other) is int:
                return self.numerator > other * self.denominator
            return super().__gt__(other)

        def __ge__(self, other: Any) -> Any:
            if type(other) is Fraction:
                return self.numerator * other.denominator >= other.numerator * self.denominator
            if type(other) is int:
                return self.numerator >= other * self.denominator
            return super().__ge__(other)

        def limit_denominator(self, most: int = 10**6) -> Any:
            return _ours(super().limit_denominator(most))

        def __round__(self, digits: int | None = None) -> Any:
            return _ours(super().__round__(digits))

    def _made(numerator: int, denominator: int) -> Any:
        """The fraction of two numbers that are in lowest terms."""
        made = _bare(Fraction)
        made._numerator = numerator
        made._denominator = denominator
        return made

    def _read(text: str) -> Any:
        """A text of digits, with a sign, a slash or a point among them; None of any other."""
        sign = -1 if text[:1] == "-" else 1
        digits = text[1:] if sign < 0 else text
        if not digits.isascii():
            return None
        if digits.isdigit():
            return _made(sign * int(digits), 1)
        whole, _, part = digits.partition(".")
        if whole.isdigit() and part.isdigit():
            return Fraction(sign * int(whole + part), 10 ** len(part))
        over, _, under = digits.partition("/")
        if over.isdigit() and under.isdigit():
            return Fraction(sign * int(over), int(under))
        return None

    def _ours(value: Any) -> Any:
        """A result of the old way."""
        return _made(*value.as_integer_ratio()) if type(value) is _Slow else value

    # Lowest terms by common divisors of the parts, which are smaller than those of the whole:
    # Knuth, TAOCP, volume 2, 4.5.1.
    def _sum(one: Any, numerator: int, denominator: int) -> Any:
        under = one.denominator
        shared = gcd(under, denominator)
        if shared == 1:
            return _made(one.numerator * denominator + numerator * under, under * denominator)
        part = under // shared
        over = one.numerator * (denominator // shared) + numerator * part
        again = gcd(over, shared)
        if again == 1:
            return _made(over, part * denominator)
        return _made(over // again, part * (denominator // again))

    def _product(one: Any, numerator: int, denominator: int) -> Any:
        over, under = one.numerator, one.denominator
        if (shared := gcd(over, denominator)) > 1:
            over //= shared
            denominator //= shared
        if (shared := gcd(numerator, under)) > 1:
            numerator //= shared
            under //= shared
        return _made(over * numerator, under * denominator)

    def _times(one: Any, factor: int) -> Any:
        under = one.denominator
        if under == 1:
            return _made(one.numerator * factor, 1)
        shared = gcd(factor, under)
        return _made(one.numerator * (factor // shared), under // shared)

    def _over(one: Any, numerator: int, denominator: int) -> Any:
        if numerator < 0:
            numerator, denominator = -numerator, -denominator
        return _product(one, denominator, numerator)
