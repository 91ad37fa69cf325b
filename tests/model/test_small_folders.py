#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""small-folders.tar is what make_small_folders.py makes of the golden folders beside the project."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
GOLDEN = HERE.parents[2] / "shared" / "golden-hf"
try:
    import numpy as np
except ImportError:
    print("needs numpy; scripts/install-deps installs it as python3-numpy")
    sys.exit(77)
if not GOLDEN.exists() or not GOLDEN.with_name("golden-hf3").exists():
    print(f"{GOLDEN} is not here")
    sys.exit(77)
import make_small_folders  # noqa: E402
from make_small_folders import archive  # noqa: E402
from reference_model import read_tensors  # noqa: E402

STORED = archive.unpack((HERE / "small-folders.tar").read_bytes())


def tensors(content):
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(content)
        return read_tensors(Path(file.name))


def assert_close(made, stored, where):
    """Numbers may differ in the last bits: the order in which numpy sums is the processor's and its BLAS's."""
    if isinstance(stored, float):
        np.testing.assert_allclose(made, stored, rtol=1e-9, atol=1e-12, err_msg=where)
    elif isinstance(stored, dict):
        assert list(made) == list(stored), where
        for key, value in stored.items():
            assert_close(made[key], value, f"{where} {key}")
    elif isinstance(stored, list):
        assert len(made) == len(stored), where
        for i, value in enumerate(stored):
            assert_close(made[i], value, f"{where} {i}")
    else:
        assert made == stored, f"{where}: {made} instead of {stored}"


class SmallFolders(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = make_small_folders.make(GOLDEN)

    def test_they_are_made_again(self):
        self.assertEqual(sorted(STORED), sorted(self.made))
        for name, content in STORED.items():
            if name.endswith("tokens.json"):
                assert_close(json.loads(self.made[name]), json.loads(content), name)
            elif not name.endswith("io.safetensors"):
                self.assertEqual(self.made[name], content, name)

    def test_expected_numbers_are_computed_again(self):
        compared = 0
        for name in STORED:
            if name.endswith("io.safetensors"):
                stored, made = tensors(STORED[name]), tensors(self.made[name])
                self.assertEqual(sorted(stored), sorted(made))
                for key, value in stored.items():
                    np.testing.assert_allclose(made[key], value, rtol=1e-6, atol=1e-6, err_msg=f"{name} {key}")
                compared += len(stored)
        self.assertGreater(compared, 100)

    def test_a_wrong_reference_makes_nothing(self):
        folder = GOLDEN / "bert-classes"
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        weights = read_tensors(folder / "model.safetensors")
        weights["bert.encoder.layer.2.output.LayerNorm.bias"][5] += 1e-3
        tokens = json.loads((folder / "tokens.json").read_text(encoding="utf-8"))
        with self.assertRaisesRegex(SystemExit, "bert-classes texts 0: the reference differs by"):
            encoder = make_small_folders.Encoder(config, weights)
            make_small_folders.require_what_transformers_computed(folder, encoder, tokens)


if __name__ == "__main__":
    unittest.main()
