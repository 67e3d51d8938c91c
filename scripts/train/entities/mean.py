"""The mean of two trainings' weights, where the second went on from the first: what each learned, without its extremes.

usage: mean.py FIRST.pt SECOND.pt OUT.pt       (then `START=OUT.pt train.py FOLDER 0.00001 …` writes the model folder)
"""
import sys
import torch

(first, vocabulary), (second, other) = (torch.load(path) for path in sys.argv[1:3])
assert vocabulary == other, "they must share their vocabulary"
mean = {name: (value + second[name]) / 2 if value.is_floating_point() else value for name, value in first.items()}
torch.save((mean, vocabulary), sys.argv[3])
