"""What people do with datasets; prints "passed" at the end."""
import datasets

name = "srv/lakes"
rows = {"name": ["Ukerewe", "Tanganyika", "Malawi"], "depth": [0.5, 1470.0, 706.0]}
datasets.Dataset.from_dict(rows).push_to_hub(name)
found = datasets.load_dataset(name, split="train")
assert found.to_dict() == rows, found.to_dict()
datasets.Dataset.from_dict({"name": ["Kivu"], "depth": [475.0]}).push_to_hub(name, split="test")
both = datasets.load_dataset(name)
assert {split: both[split].num_rows for split in both} == {"train": 3, "test": 1}, both
streamed = datasets.load_dataset(name, split="train", streaming=True)
assert [row["name"] for row in streamed] == rows["name"]
print("passed")
