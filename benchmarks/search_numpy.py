#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Exact search by lffn_top_k beside NumPy's product and argpartition, in turns; CPU time of one thread.

search_numpy.py liblookupffn.so [THOUSANDS OF VECTORS]
"""
import ctypes
import os
import statistics
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[name] = "1"
import numpy  # noqa: E402

P, I64, I32, F32 = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32, ctypes.c_float


class Args(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("runtime", P), ("kind", I32), ("measure", I32), ("size", I64),
                ("queries", P), ("query_stride", I64), ("n_queries", I64), ("vectors", P), ("vector_stride", I64),
                ("n_vectors", I64), ("query_scales", P), ("vector_scales", P), ("query_scale", F32), ("vector_scale", F32),
                ("vector_ids", P), ("first_id", I64), ("taking_part", P), ("candidates", P), ("candidate_offsets", P),
                ("n_candidates", I64), ("k", I64), ("start_counts", P), ("start_ids", P), ("start_scores", P), ("ids", P),
                ("scores", P), ("capacity", I64), ("counts", P), ("cancel", P), ("progress", P), ("progress_user", P),
                ("num_threads", I32), ("reserved", I32)]


def library_search(library, queries, vectors, k):
    ids = numpy.empty((len(queries), k), numpy.int64)
    scores = numpy.empty((len(queries), k), numpy.float32)
    args = Args(struct_size=ctypes.sizeof(Args), kind=1, size=vectors.shape[1], queries=queries.ctypes.data,
                n_queries=len(queries), vectors=vectors.ctypes.data, n_vectors=len(vectors), k=k, ids=ids.ctypes.data,
                scores=scores.ctypes.data, capacity=ids.size, num_threads=1)
    if library.lffn_top_k(ctypes.byref(args)) != 0:
        sys.exit(library.lffn_last_error().decode())
    return ids


def numpy_search(queries, vectors, k):
    scores = queries @ vectors.T
    best = numpy.argpartition(-scores, k, axis=1)[:, :k]
    order = numpy.argsort(-numpy.take_along_axis(scores, best, 1), axis=1)
    return numpy.take_along_axis(best, order, 1)


def timed(action):
    start = time.process_time()
    found = action()
    return time.process_time() - start, found


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.lffn_last_error.restype = ctypes.c_char_p
    count = int(sys.argv[2]) * 1000 if len(sys.argv) > 2 else 500_000
    random = numpy.random.default_rng(1)
    vectors = random.standard_normal((count, 384), numpy.float32)
    vectors /= numpy.linalg.norm(vectors, axis=1, keepdims=True)
    print("queries   lffn_top_k    NumPy   ratio   milliseconds, medians")
    for n in (1, 8, 64):
        queries = vectors[:n] + random.standard_normal((n, 384), numpy.float32) / 50
        rounds = []
        for _ in range(7 if n == 1 else 3):
            ours, found = timed(lambda: library_search(library, queries, vectors, 10))
            theirs, expected = timed(lambda: numpy_search(queries, vectors, 10))
            if not (found[:, 0] == expected[:, 0]).all():
                sys.exit("they find different vectors")
            rounds.append((ours, theirs))
        ours, theirs = (statistics.median(column) for column in zip(*rounds))
        print(f"{n:7} {ours * 1e3:12.1f} {theirs * 1e3:8.1f} {statistics.median(b / a for a, b in rounds):7.2f}")


if __name__ == "__main__":
    main()
