#!/usr/bin/env python3
"""Writes the golden tables of this folder. Needs python3 and mpmath.

The values come from definitions, not from the algorithms of the crate: exact integers and
fractions, direct sums of binomial terms with 40 digits, bisection, enumeration. Arguments are
doubles, taken exactly.
"""
import csv
import itertools
import math
import pathlib
import random
from fractions import Fraction

from mpmath import betainc, exp, log, loggamma, mp, mpf, ncdf, nstr, sqrt

mp.dps = 40
FOLDER = pathlib.Path(__file__).parent


def write(name, header, rows):
    with open(FOLDER / name, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        for row in rows:
            out.writerow([show(value) for value in row])


def show(value):
    if isinstance(value, Fraction):
        value = mpf(value.numerator) / value.denominator
    if isinstance(value, mpf):
        return nstr(value, 20)
    if isinstance(value, (list, tuple)):
        return " ".join(repr(v) for v in value)
    return value if isinstance(value, str) else repr(value)


# Distributions -----------------------------------------------------------------------------


def pmf(k, n, p):
    p = mpf(p)
    choose = loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1)
    return exp(choose + k * log(p) + (n - k) * log(1 - p))


def tail(k, n, p, step):
    """The sum of the terms from k downwards (step -1) or upwards (step 1)."""
    p, odds = mpf(p), mpf(p) / (1 - mpf(p))
    if 0 < p < 1 and (k - n * p) * step < 0:
        outside = k - step
        return 1 - tail(outside, n, p, -step) if 0 <= outside <= n else mpf(1)
    term, total = pmf(k, n, p), mpf(0)
    while 0 <= k <= n and term > total * mpf(10) ** -35:
        total += term
        term *= k / (odds * (n - k + 1)) if step < 0 else (n - k) * odds / (k + 1)
        k += step
    return total


def bisect(rising, low=mpf(0), high=mpf(1)):
    """Where a rising function becomes positive."""
    while high - low > abs(high) * mpf(10) ** -24:
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2


def clopper_pearson(k, n, alpha):
    half = mpf(alpha) / 2
    low = mpf(0) if k == 0 else bisect(lambda x: tail(k, n, x, 1) - half)
    high = mpf(1) if k == n else bisect(lambda x: half - tail(k, n, x, -1))
    return low, high


def normal_quantile(q):
    return bisect(lambda x: ncdf(x) - mpf(q), mpf(-40), mpf(40))


def wilson(k, n, alpha):
    z = -normal_quantile(mpf(alpha) / 2)
    centre = (k + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * sqrt(mpf(k) * (n - k) / n + z * z / 4)
    return centre - half, centre + half


def distributions():
    points = [1e-9, 0.01, 0.1, 0.25, 0.5, 0.75, 0.999, 1.001, 1.5, 1.999, 2.001, 2.5, 3.0, 4.75,
              7.0, 9.999, 10.0, 12.5, 33.0, 100.0, 1234.5, 1e5, 1e7, 1e12]
    write("ln_gamma.csv", ["x", "value"], [(x, loggamma(mpf(x)).real) for x in points])

    points = [-37.5, -30.0, -20.0, -10.0, -8.0, -6.0, -5.0, -4.0, -3.001, -3.0, -2.999, -2.5,
              -1.96, -1.0, -0.5, -0.1, -1e-8, 0.0, 1e-3, 0.3, 0.7, 1.0, 1.644853, 2.0, 3.5, 5.0]
    write("normal.csv", ["x", "cdf"], [(x, ncdf(mpf(x))) for x in points])
    points = [1e-300, 1e-100, 1e-20, 1e-10, 1e-5, 0.0005, 0.001, 0.01, 0.025, 0.05, 0.1, 0.25,
              0.4, 0.499, 0.6, 0.75, 0.9, 0.95, 0.975, 0.99, 0.999]
    write("normal_quantile.csv", ["q", "x"], [(q, normal_quantile(q)) for q in points])

    rows = []
    for a, b in [(0.5, 0.5), (0.5, 4.0), (1.0, 3.0), (2.5, 1.5), (3.0, 7.0), (20.0, 0.75),
                 (12.25, 30.5), (80.0, 120.0)]:
        for x in [0.001, 0.1, 0.3, 0.5, 0.7, 0.95]:
            lower = betainc(a, b, 0, mpf(x), regularized=True)
            upper = betainc(b, a, 0, 1 - mpf(x), regularized=True)
            rows.append((a, b, x, lower, upper))
    write("beta.csv", ["a", "b", "x", "lower", "upper"], rows)

    rows = []
    cases = [(0, 1, 0.5), (3, 10, 0.3), (10, 10, 0.9), (1, 29, 0.01), (50, 100, 0.5),
             (30, 100, 0.5), (70, 100, 0.5), (0, 1000, 0.001), (12, 1000, 0.001),
             (500, 1000, 0.55), (3, 14670, 0.0002), (4800, 10000, 0.5), (50500, 100000, 0.5),
             (100, 100000, 0.002), (499000, 1000000, 0.5), (999990, 1000000, 0.99998)]
    for k, n, p in cases:
        rows.append((k, n, p, pmf(k, n, p), tail(k, n, p, -1), tail(k, n, p, 1)))
    write("binomial.csv", ["k", "n", "p", "pmf", "at_most", "at_least"], rows)


def proportions():
    rows = []
    cases = [(0, 72, 0.05), (9, 153, 0.05), (3, 14670, 0.0005), (0, 1, 0.05), (1, 1, 0.05),
             (1, 2, 0.05), (5, 10, 0.05), (1, 30, 0.05), (29, 30, 0.05), (50, 100, 0.01),
             (50, 100, 0.05), (190, 381, 0.05), (201, 403, 0.05), (7, 1000, 0.1),
             (993, 1000, 0.1), (1, 100000, 0.05), (31415, 100000, 0.001),
             (123456, 1000000, 0.05), (2, 1000000, 0.05)]
    for k, n, alpha in cases:
        rows.append(("clopper-pearson", k, n, alpha, *clopper_pearson(k, n, alpha)))
        rows.append(("wilson", k, n, alpha, *wilson(k, n, alpha)))
    write("proportion.csv", ["method", "k", "n", "alpha", "low", "high"], rows)


# Sequential rules --------------------------------------------------------------------------


def walk(p, limit, stop):
    """The probabilities of ending at (k, n), for the outcomes that `stop` ends."""
    row = {0: mpf(1)}
    for n in range(1, limit + 1):
        following = {}
        for k, mass in row.items():
            following[k + 1] = following.get(k + 1, 0) + mass * p
            following[k] = following.get(k, 0) + mass * (1 - p)
        row = {}
        for k, mass in following.items():
            verdict = stop(k, n)
            if verdict is None:
                row[k] = mass
            else:
                yield k, n, mass, verdict
        if not row:
            return


def limits(k, n, alpha, rule, cache={}):
    """The interval of a rule in plain floating point, by bisection on sums of terms."""
    key = (k, n, alpha, rule)
    if key in cache:
        return cache[key]
    if k > n - k:
        low, high = limits(n - k, n, alpha, rule)
        answer = 1 - high, 1 - low
    elif rule == "wilson":
        z = 1.959963984540054
        assert alpha == 0.05
        centre, half = (k + z * z / 2) / (n + z * z), math.sqrt(k * (n - k) / n + z * z / 4)
        answer = centre - z / (n + z * z) * half, centre + z / (n + z * z) * half
    elif k == 0:
        answer = 0.0, 1 - (alpha if rule == "uppaal-4.1" else alpha / 2) ** (1 / n)
    else:
        terms = [math.comb(n, i) for i in range(k + 1)]
        logs = [math.log(c) for c in terms]

        def at_most(x, last):
            a, b = math.log(x), math.log1p(-x)
            return math.fsum(math.exp(logs[i] + i * a + (n - i) * b) for i in range(last + 1))

        answer = []
        for last, target in [(k - 1, 1 - alpha / 2), (k, alpha / 2)]:
            low, high = 0.0, 1.0
            for _ in range(46):
                middle = (low + high) / 2
                low, high = (middle, high) if at_most(middle, last) > target else (low, middle)
            answer.append(low)
        answer = tuple(answer)
    cache[key] = answer
    return answer


def stopping():
    rows = []
    for rule in ["uppaal-5", "uppaal-4.1", "clopper-pearson", "wilson"]:
        for eps in [0.1] if rule == "uppaal-5" else [0.1, 0.05] if rule == "wilson" else [0.1]:

            def stop(k, n):
                low, high = limits(k, n, 0.05, rule)
                error = (high - low) / 2
                if rule == "uppaal-5":
                    error = max(k / n - low, high - k / n)
                return (low, high) if error <= eps else None

            for p in [0.01, 0.1, 0.3, 0.5, 0.85]:
                ends = list(walk(p, 500, stop))
                covered = sum(m for _, _, m, (low, high) in ends if low <= p <= high)
                runs = sum(n * m for _, n, m, _ in ends)
                rows.append((rule, 0.05, eps, p, mpf(covered), mpf(runs)))
    write("stopping.csv", ["rule", "alpha", "epsilon", "p", "coverage", "runs"], rows)


def sprt():
    rows = []
    for p0, p1, alpha, beta in [(0.5, 0.4, 0.05, 0.05), (0.9, 0.8, 0.01, 0.05),
                                (0.2, 0.35, 0.05, 0.1), (1.0, 0.9, 0.05, 0.05)]:
        upper, lower = log((1 - mpf(beta)) / alpha), log(beta / (1 - mpf(alpha)))
        hit = log(mpf(p1) / mpf(p0))
        miss = log((1 - mpf(p1)) / (1 - mpf(p0))) if p0 < 1 else None

        def stop(k, n):
            if miss is None and k < n:
                return "H1"
            ratio = k * hit + ((n - k) * miss if k < n else 0)
            return "H1" if ratio >= upper else "H0" if ratio <= lower else None

        for p in sorted({p0, p1, round((p0 + p1) / 2, 3), 0.327}):
            ends = list(walk(mpf(p), 1000, stop))
            h1 = sum(m for _, _, m, v in ends if v == "H1")
            h0 = sum(m for _, _, m, v in ends if v == "H0")
            runs = sum(n * m for _, n, m, _ in ends) + 1000 * (1 - h0 - h1)
            rows.append((p0, p1, alpha, beta, p, mpf(h0), mpf(h1), mpf(runs)))
    header = ["p0", "p1", "alpha", "beta", "p", "accept_h0", "accept_h1", "runs"]
    write("sprt.csv", header, rows)


# Tests on samples --------------------------------------------------------------------------


def u_statistic(x, y):
    return sum(Fraction(1) if a > b else Fraction(1, 2) if a == b else 0 for a in x for b in y)


def exact_u(u, n, m):
    """P(U <= u), P(U >= u) without ties, by counting partitions that fit in a box."""
    counts = [[[1] if i == 0 or j == 0 else None for j in range(m + 1)] for i in range(n + 1)]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            row = [0] * (i * j + 1)
            for at, c in enumerate(counts[i - 1][j]):
                row[at + j] += c
            for at, c in enumerate(counts[i][j - 1]):
                row[at] += c
            counts[i][j] = row
    row, total = counts[n][m], math.comb(n + m, n)
    return Fraction(sum(row[: u + 1]), total), Fraction(sum(row[u:]), total)


def enumerated_u(x, y):
    """P(U <= u), P(U >= u) by trying every division of the pooled values."""
    pooled, u = x + y, u_statistic(x, y)
    low = high = total = 0
    for chosen in itertools.combinations(range(len(pooled)), len(x)):
        inside = set(chosen)
        first = [pooled[i] for i in chosen]
        second = [v for i, v in enumerate(pooled) if i not in inside]
        value = u_statistic(first, second)
        low, high, total = low + (value <= u), high + (value >= u), total + 1
    return Fraction(low, total), Fraction(high, total)


def normal_u(x, y):
    n, m, u = len(x), len(y), u_statistic(x, y)
    size, pooled = n + m, x + y
    ties = sum(c**3 - c for c in (pooled.count(v) for v in set(pooled)))
    variance = Fraction(n * m, 12) * (size + 1 - Fraction(ties, size * (size - 1)))
    sigma = sqrt(mpf(variance.numerator) / variance.denominator)
    off = u - Fraction(n * m, 2)
    half = mpf(1) / 2
    off = mpf(off.numerator) / off.denominator
    less, greater = ncdf((off + half) / sigma), ncdf(-(off - half) / sigma)
    return less, greater, min(mpf(1), 2 * ncdf(-(abs(off) - half) / sigma))


def rank_rows():
    draw = random.Random(7)
    samples = [([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]), ([1.0], [2.0]), ([3.5, 1.25, 9.0], [2.0, 8.0])]
    for n, m in [(4, 5), (8, 8), (10, 10), (20, 15), (50, 50)]:
        values = draw.sample(range(1000), n + m)
        shift = draw.choice([0, 0.5, 150.5])
        samples.append(([v + shift for v in map(float, values[:n])], [float(v) for v in values[n:]]))
    for x, y in samples:
        low, high = exact_u(int(u_statistic(x, y)), len(x), len(y))
        if len(x) + len(y) <= 12:
            assert (low, high) == enumerated_u(x, y)
        yield x, y, "exact", low, high, min(Fraction(1), 2 * min(low, high))
    tied = []
    for n, m in [(3, 4), (6, 6), (12, 9), (50, 50), (60, 70)]:
        tied.append(([float(draw.randrange(8)) for _ in range(n)],
                     [float(draw.randrange(6)) for _ in range(m)]))
    values = draw.sample(range(5000), 130)
    tied.append(([float(v) for v in values[:60]], [v + 200.5 for v in values[60:]]))
    for x, y in tied:
        yield x, y, "normal", *normal_u(x, y)
    for x, y in tied[:2]:
        low, high = enumerated_u(x, y)
        yield x, y, "enumerated", low, high, min(Fraction(1), 2 * min(low, high))


def ranks():
    rows = [(method, x, y, u_statistic(x, y), less, greater, both)
            for x, y, method, less, greater, both in rank_rows()]
    write("mann_whitney.csv", ["method", "x", "y", "u", "less", "greater", "two_sided"], rows)


def permutations():
    draw = random.Random(11)
    rows = []
    for n, m in [(1, 1), (2, 3), (4, 4), (5, 7), (10, 6), (9, 9)]:
        x = [draw.randrange(100) / 8 for _ in range(n)]
        y = [draw.randrange(100) / 8 + 3 for _ in range(m)]
        pooled = [Fraction(v) for v in x + y]
        total = sum(pooled)
        off = lambda s: abs(s / n - (total - s) / m)
        observed, extreme, count = off(sum(pooled[:n])), 0, 0
        for chosen in itertools.combinations(pooled, n):
            extreme, count = extreme + (off(sum(chosen)) >= observed), count + 1
        rows.append((x, y, Fraction(extreme, count)))
    write("permutation.csv", ["x", "y", "p_value"], rows)


def runs():
    draw = random.Random(13)
    rows = []
    for n, one in [(6, 3), (8, 2), (10, 5), (12, 7), (14, 4)]:
        outcomes = [True] * one + [False] * (n - one)
        for _ in range(3):
            draw.shuffle(outcomes)
            count = lambda s: 1 + sum(a != b for a, b in zip(s, s[1:]))
            seen, low, high, total = count(outcomes), 0, 0, 0
            for chosen in itertools.combinations(range(n), one):
                inside = set(chosen)
                value = count([i in inside for i in range(n)])
                low, high, total = low + (value <= seen), high + (value >= seen), total + 1
            text = "".join("1" if o else "0" for o in outcomes)
            both = min(Fraction(1), 2 * min(Fraction(low, total), Fraction(high, total)))
            rows.append((text, seen, Fraction(low, total), Fraction(high, total), both))
    write("runs.csv", ["outcomes", "runs", "at_most", "at_least", "two_sided"], rows)


if __name__ == "__main__":
    for table in [distributions, proportions, ranks, permutations, runs, sprt, stopping]:
        table()
        print(table.__name__)
