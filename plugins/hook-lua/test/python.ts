/** Python programs that read exported tables back, where they are installed. */
export const readParquet = `
import json, sys
import pyarrow.parquet as pq
import duckdb
files = json.load(open(sys.argv[1]))
arrow = sum(pq.read_table(f).num_rows for f in files)
duck = duckdb.sql("select count(*), sum(amount) from read_parquet(%s)" % files).fetchall()[0]
print(json.dumps({"arrow": arrow, "duck": list(map(int, duck))}))
`;

export const readDelta = `
import json, sys
from deltalake import DeltaTable
table = DeltaTable(sys.argv[1])
columns = [field.name for field in table.schema().fields]
print(json.dumps({"version": table.version(), "columns": columns, "files": ["/" + u.split("file:")[-1].lstrip("/") for u in table.file_uris()]}))
`;
