"""Uploads a large file with huggingface_hub, and hashes it as it comes back. Arguments: repository, file, its SHA-256."""
import hashlib
import pathlib
import sys

from huggingface_hub import HfApi, hf_hub_download

repo, file, wanted = sys.argv[1:]
HfApi().upload_file(path_or_fileobj=file, path_in_repo="large.bin", repo_id=repo, repo_type="dataset")
path = pathlib.Path(hf_hub_download(repo, "large.bin", repo_type="dataset"))
hash = hashlib.sha256()
with path.open("rb") as back:
    while piece := back.read(1 << 20):
        hash.update(piece)
assert hash.hexdigest() == wanted, hash.hexdigest()
print("passed")
