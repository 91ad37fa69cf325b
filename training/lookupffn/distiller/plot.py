# SPDX-License-Identifier: Apache-2.0
"""Plots as SVG, written as plain text: lines or dots over linear or logarithmic axes."""

from __future__ import annotations

import html
import math
from typing import Sequence

_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f", "#bcbd22", "#e377c2")
_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 360, 64, 150, 30, 48


def _ticks(low: float, high: float, logarithmic: bool) -> list[float]:
    if logarithmic:
        found = [factor * 10.0**e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                 for factor in (1, 2, 5)]
        return [tick for tick in found if low <= tick <= high] or [low, high]
    step = 10.0 ** math.floor(math.log10(max(high - low, 1e-12)))
    step *= next(factor for factor in (0.2, 0.5, 1, 2) if (high - low) / (step * factor) <= 8)
    return [step * i for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


class _Axis:
    def __init__(self, values: Sequence[float], begin: float, end: float, logarithmic: bool) -> None:
        low, high = min(values), max(values)
        if logarithmic:
            low, high = low / 1.1, high * 1.1
        else:
            room = (high - low) * 0.05 or abs(high) * 0.05 or 1.0
            low, high = low - room, high + room
        self.low, self.high, self.begin, self.end, self.logarithmic = low, high, begin, end, logarithmic

    def place(self, value: float) -> float:
        if self.logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return round(self.begin + share * (self.end - self.begin), 1)


def svg(series: dict[str, list[tuple[float, float]]], title: str, x_label: str, y_label: str, *, dots: bool = False,
        log_x: bool = False, log_y: bool = False) -> str:
    """series: points by name; the names of dots are beside them."""
    points = [(x, y) for line in series.values() for x, y in line
              if math.isfinite(x) and math.isfinite(y) and (not log_x or x > 0) and (not log_y or y > 0)]
    if not points:
        points = [(1.0, 1.0)]
    across = _Axis([x for x, _ in points], _LEFT, _WIDTH - _RIGHT, log_x)
    up = _Axis([y for _, y in points], _HEIGHT - _BOTTOM, _TOP, log_y)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" font-family="sans-serif" '
           f'font-size="11"><rect width="100%" height="100%" fill="white"/>',
           f'<text x="{_LEFT}" y="18" font-size="13">{html.escape(title)}</text>']
    for tick in _ticks(across.low, across.high, log_x):
        x = across.place(tick)
        out.append(f'<line x1="{x}" y1="{_TOP}" x2="{x}" y2="{_HEIGHT - _BOTTOM}" stroke="#ddd"/>'
                   f'<text x="{x}" y="{_HEIGHT - _BOTTOM + 14}" text-anchor="middle">{tick:g}</text>')
    for tick in _ticks(up.low, up.high, log_y):
        y = up.place(tick)
        out.append(f'<line x1="{_LEFT}" y1="{y}" x2="{_WIDTH - _RIGHT}" y2="{y}" stroke="#ddd"/>'
                   f'<text x="{_LEFT - 5}" y="{y + 4}" text-anchor="end">{tick:.4g}</text>')
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    out.append(f'<text x="{middle}" y="{_HEIGHT - 10}" text-anchor="middle">{html.escape(x_label)}</text>'
               f'<text transform="translate(14 {(_TOP + _HEIGHT - _BOTTOM) / 2}) rotate(-90)" '
               f'text-anchor="middle">{html.escape(y_label)}</text>')
    for index, (name, line) in enumerate(series.items()):
        colour = _COLOURS[index % len(_COLOURS)]
        placed = [(across.place(x), up.place(y)) for x, y in line if (x, y) in set(points)]
        if not dots:
            path = " ".join(f"{x},{y}" for x, y in placed)
            out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
            y = _TOP + 14 * index + 8
            out.append(f'<line x1="{_WIDTH - _RIGHT + 8}" y1="{y - 4}" x2="{_WIDTH - _RIGHT + 24}" y2="{y - 4}" '
                       f'stroke="{colour}" stroke-width="2"/>'
                       f'<text x="{_WIDTH - _RIGHT + 28}" y="{y}">{html.escape(name)}</text>')
        for x, y in placed if dots or len(placed) < 2 else []:
            out.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{colour}"/>')
            if dots:
                out.append(f'<text x="{x + 6}" y="{y + 4}" fill="{colour}">{html.escape(name)}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"
