/** Words of SQL that an editor knows. */

const words =
  'all and anti any as asc asof between by case cast copy create cross delete desc describe distinct drop else end escape except exclude exists explain false filter following for format from full group having ilike in inner insert intersect into is join lateral left like limit natural not null nulls offset on or order outer over partition pivot positional preceding qualify range recursive replace right row rows sample select semi set summarize table tablesample then to true unbounded union unpivot update using values view when where window with';

export const keywords: ReadonlySet<string> = new Set(words.split(' '));

/** Functions that are called most. */
export const functions: readonly string[] =
  'abs array_agg avg ceil coalesce concat corr count date_diff date_part date_trunc first floor greatest last least length lower max median min mode now nullif quantile_cont read_csv read_json read_parquet regexp_extract regexp_matches replace round row_number split_part stddev string_agg strftime strptime substring sum trim try_cast unnest upper'.split(
    ' ',
  );
