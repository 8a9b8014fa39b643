"""A file that the old protocol sends in parts, and one that it sends whole; prints "passed" at the end."""
import hashlib
import os
import pathlib
import tempfile

import huggingface_hub
from huggingface_hub import HfApi, hf_hub_download

assert huggingface_hub.__version__.startswith(os.environ.get("HUB_VERSION", "2.")), huggingface_hub.__version__
api = HfApi()
repo, kind = "srv/zoo", "dataset"
api.create_repo(repo, repo_type=kind)
folder = pathlib.Path(tempfile.mkdtemp())
block = os.urandom(1 << 20)
sizes = {"parts.bin": 100 * len(block) + 7, "exact.bin": 64 * len(block), "whole.bin": 11 * len(block)}
hashes = {}
for name, size in sizes.items():
    content = (name.encode() + block * (size // len(block) + 1))[:size]
    hashes[name] = hashlib.sha256(content).hexdigest()
    (folder / name).write_bytes(content)
api.upload_folder(folder_path=str(folder), repo_id=repo, repo_type=kind)
for name, wanted in hashes.items():
    path = hf_hub_download(repo, name, repo_type=kind)
    assert hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest() == wanted, name
head = api.repo_info(repo, repo_type=kind).sha
api.upload_folder(folder_path=str(folder), repo_id=repo, repo_type=kind)
assert api.repo_info(repo, repo_type=kind, files_metadata=True).sha, head
print("passed")
