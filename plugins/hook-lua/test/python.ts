/** Python programs that read exported tables back, where they are installed. */
export const readParquet = `
import json, sys
import pyarrow.parquet as pq
import duckdb
files = json.load(open(sys.argv[1]))
arrow = sum(pq.read_table(f).num_rows for f in files)
duck = duckdb.sql("select count(*), sum(amount) from read_parquet(%s)" % files).fetchone()
print(json.dumps({"arrow": arrow, "duck": list(map(int, duck))}))
`;

export const readDelta = `
import json, sys
import pyarrow.parquet as pq
import duckdb
from deltalake import DeltaTable
table = DeltaTable(sys.argv[1])
rows = table.to_pyarrow_table() if hasattr(table, "to_pyarrow_table") else None
files = [u for u in table.file_uris()]
print(json.dumps({"version": table.version(), "rows": rows.num_rows if rows is not None else -1, "files": files}))
`;
