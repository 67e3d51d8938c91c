"""Batches of examples of like length, so that little of them is padding."""

# Lengths that differ by less are as good as equal: the batches of two rounds differ.
_BLUR = 6


def grouped(encoded, size, rng):
    """Lists of examples, whose first part are their tokens, in random order. @param size tokens of a batch, padding included"""
    groups, group, longest = [], [], 0
    for example in sorted(encoded, key=lambda e: len(e[0]) + rng.random() * _BLUR):
        longest = max(longest, len(example[0]))
        if group and longest * (len(group) + 1) > size:
            groups.append(group)
            group, longest = [], len(example[0])
        group.append(example)
    groups.append(group)
    rng.shuffle(groups)
    return groups
