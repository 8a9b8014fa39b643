"""The part of transformers that needs no tensors: configurations and tokenizers; prints "passed" at the end."""
import json
import pathlib
import tempfile

from huggingface_hub import HfApi
from transformers import AutoConfig, AutoTokenizer

api, repo = HfApi(), "srv/tiny-bert"
words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "lake", "fish", "##es", "deep", "."]
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 8, "vocab_size": len(words)}))
(folder / "vocab.txt").write_text("\n".join(words))
(folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True}))
api.create_repo(repo)
api.upload_folder(folder_path=str(folder), repo_id=repo, commit_message="A model without weights")
first = api.repo_info(repo).sha
api.create_tag(repo, tag="v1")

config = AutoConfig.from_pretrained(repo)
assert (config.model_type, config.hidden_size) == ("bert", 8), config
tokenizer = AutoTokenizer.from_pretrained(repo, revision="v1")
text = "deep lakees."
assert tokenizer.tokenize(text) == ["deep", "lake", "##es", "."], tokenizer.tokenize(text)

tokenizer.add_tokens(["ripple"])
tokenizer.push_to_hub(repo)
config.hidden_size = 16
config.push_to_hub(repo)
assert api.repo_info(repo).sha != first
assert "ripple" in AutoTokenizer.from_pretrained(repo).get_vocab()
assert "ripple" not in AutoTokenizer.from_pretrained(repo, revision="v1").get_vocab()
assert AutoConfig.from_pretrained(repo, force_download=True).hidden_size == 16
assert AutoConfig.from_pretrained(repo, revision=first).hidden_size == 8
# What a commit holds does not change: once read, it needs no server.
assert AutoConfig.from_pretrained(repo, revision=first, local_files_only=True).hidden_size == 8
try:
    AutoConfig.from_pretrained("srv/nothing-here")
except OSError as error:
    assert "srv/nothing-here" in str(error), error
else:
    raise AssertionError("a model that does not exist was loaded")
print("passed")
