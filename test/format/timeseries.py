"""Blocks of times under the codings of published tracers, by docs/format.md alone. Those of zfp and sz need libraries."""

from struct import unpack as fromBytes

from values import Bytes, Grammar, check, signed, unpack

ZSTD, CFG, HIST, ZFP, SZ = range(1, 6)
NONE, SIGNATURE, PATH = range(3)
DURATION, GAP = range(2)
MOST = (1 << 63) - 1


class PublishedBins:
    def __init__(self, relative, absolute):
        self.step, self.last = 2 * absolute + 1, [0] if relative else None
        while relative and self.last[-1] != MOST:
            self.last.append(min((self.last[-1] + 1) * (10**6 + max(relative, 1000)) // 10**6, MOST))

    def time(self, symbol):
        if not self.last:
            return signed(symbol * self.step)
        check(abs(symbol) < len(self.last), "a time in no bin")
        return -self.last[-symbol] if symbol < 0 else self.last[symbol]


class SeriesModel:
    """Of hist: bins by kind and cluster."""

    def __init__(self, data):
        r = Bytes(data)
        self.frequent = ({}, {})
        for of in self.frequent:
            cluster = 0
            for _ in range(r.count()):
                cluster += r.varint()
                of[cluster] = [r.svarint() for _ in range(r.varint(129))]
        r.end()


class SeriesBlock:
    """As timeblocks.Block. bounds: (durations, gaps) of each pair, as PublishedBins."""

    def __init__(self, r, coding):
        self.codec, self.by = divmod(coding, 4)
        self.r, self.calls, self.first = r, r.varint(), r.varint()
        r.varint(), r.varint(), r.varint()  # earliest, latest, drift

    def times(self, model, bounds, contexts, signatures):
        """signatures: the number of each place's function, site and depth."""
        pairs = [pair for _, pair, _ in contexts]
        clusters = {NONE: lambda place, path: (0, 0), PATH: lambda place, path: (place, path),
                    SIGNATURE: lambda place, path: (signatures[place], signatures[place])}[self.by]
        both = [clusters(place, path) for place, _, path in contexts]
        durations = self.series(DURATION, model, bounds, pairs, [c[DURATION] for c in both])
        gaps = [0] + (self.series(GAP, model, bounds, pairs[1:], [c[GAP] for c in both[1:]]) if len(both) > 1 else [])
        now = self.first
        for duration, gap in zip(durations, gaps):
            now += gap
            yield now & (1 << 64) - 1, duration
            now += duration

    def series(self, kind, model, bounds, pairs, clusters):
        isByCluster, own = self.r.varint(2), Bytes(self.r.string())
        order = sorted(range(len(pairs)), key=lambda i: clusters[i] if isByCluster else 0)
        bins = [bounds[pairs[i]][kind] for i in order]
        values = {ZSTD: self.zstd, CFG: self.cfg, HIST: self.hist}[self.codec](
            own, kind, model, bins, [clusters[i] for i in order])
        own.end()
        check(len(values) == len(order), "a series has another length")
        out = [0] * len(order)
        for i, value in zip(order, values):
            out[i] = max(value, 0) if kind == DURATION else value
        at = 0
        for _ in range(self.r.count()):
            at += self.r.varint()
            check(at < len(out), "a correction of no call")
            out[at] = signed(out[at] + self.r.svarint())
        return out

    def zstd(self, r, kind, model, bins, clusters):
        return list(fromBytes(f"<{len(bins)}q", unpack(r.take(len(r.data)), 8 * len(bins))))

    def cfg(self, r, kind, model, bins, clusters):
        symbols = []
        for _ in range(r.count()):
            symbols.append(signed(symbols[-1] + r.varint()) if symbols else r.svarint())
        grammar = Grammar(r, r.count())
        check(grammar.length == len(bins) and grammar.terminals() <= len(symbols), "a grammar of other times")
        return [own.time(symbols[terminal]) for own, terminal in zip(bins, grammar)]

    def hist(self, r, kind, model, bins, clusters):
        held, out = int.from_bytes(r.take(len(r.data)), "little"), []
        for own, cluster in zip(bins, clusters):
            isFrequent = held & 1
            held >>= 1
            if isFrequent:
                symbols = model.frequent[kind].get(cluster, ())
                bits = max((len(symbols) - 1).bit_length(), 3)
                check(held & (1 << bits) - 1 < len(symbols), "a time in no bin")
                out.append(own.time(symbols[held & (1 << bits) - 1]))
            else:
                out.append(signed(held))
            held >>= bits if isFrequent else 64
        check(held == 0, "times of further calls")
        return out
