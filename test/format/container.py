"""The sections of a trace file, by docs/format.md alone: what a file is before anybody asks what its sections say."""

import struct

from values import Bytes, check, unpack, xxh32

MEASURES, TIMES, CHUNKS = 4, 5, 6
KNOWN = range(7)  # meta, schema, tables, calls, measures, times, chunks; the last three only where there are such


def readSections(data):
    """The sections that are known, by id."""
    check(data[:8] == b"PILGRIM\n", "not a Pilgrim trace")
    check(len(data) >= 16, "cut short")
    version, checksum = struct.unpack_from("<II", data, 8)
    check(version == 14, f"version {version}")
    r = Bytes(data)
    r.at = 16
    behind = r.varint()
    check(behind == len(data) - r.at, "the size is not the file's")
    head, number, together, alone = r.varint(512), -1, [], []
    for _ in range(head >> 1):
        size = r.varint()
        more = r.varint() if size & 1 else 0
        number += 1 + (more >> 2)
        check(size >> 1 and number < 1 << 32, "a section")
        if more & 2:
            check(all(0x20 <= c < 0x7F for c in r.take(r.varint(65))), "a section's name")
        if more & 1:
            packed = r.varint(len(data) + 1)
            alone.append((number, size >> 1, packed, *struct.unpack("<I", r.take(4))))
        else:
            together.append((number, size >> 1))
    end = len(data) - sum(packed for _, _, packed, _ in alone)
    check(r.at <= end, "sections are larger than the file")
    check(checksum == xxh32(data[16:end]), "the checksum")
    together.sort(key=lambda section: section[0] == MEASURES)  # which are the last ones, and never packed
    size = sum(size for number, size in together if number != MEASURES)
    whole = sum(size for _, size in together)
    body = data[r.at : end]
    if head & 1:
        measures = len(body) - (whole - size)
        check(measures >= 0, "the sections are larger than the file")
        body = unpack(body[:measures], size) + body[measures:]
    check(len(body) == whole, "the sections are not the file")
    sections, at = {}, 0
    for number, size in together:
        sections[number] = body[at : at + size]
        at += size
    for number, size, packed, checksum in alone:
        frame = data[end : end + packed]
        end += packed
        summed = frame
        if number == CHUNKS and TIMES in sections:
            summed = frame[: Bytes(sections[TIMES]).varint()]
        check(packed and checksum == xxh32(summed), f"the checksum of section {number}")
        if number in KNOWN:
            sections[number] = frame if packed == size else unpack(frame, size)
    check(all(number in sections for number in KNOWN[:4]), "a section is missing")
    return [sections.get(number, b"") for number in KNOWN]
