/**
 * The SQL functions that analysts may call: all that compute with values, none that reaches a file, an extension, the
 * inside of an index or SQLite itself. What is not here is refused, also what a later SQLite will bring.
 */
const NAMES = `
  abs changes char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood likely lower ltrim max
  min nullif octet_length printf quote replace round rtrim sign soundex substr substring subtype trim typeof unhex unicode
  unistr unlikely upper
  avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc
  cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank row_number
  date datetime julianday strftime time timediff unixepoch current_date current_time current_timestamp
  acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power radians sin
  sinh sqrt tan tanh trunc random
  json json_array json_array_insert json_array_length json_error_position json_extract json_group_array json_group_object
  json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set json_type json_valid -> ->>
`

export const QUERY_FUNCTIONS: ReadonlySet<string> = new Set(NAMES.trim().split(/\s+/))

/** Table-valued functions that take JSON apart. */
export const QUERY_TABLE_FUNCTIONS: ReadonlySet<string> = new Set(['json_each', 'json_tree'])

/** What the service says about its tables, for everyone who may ask a question at all. */
export const OPEN_TABLES: ReadonlySet<string> = new Set(['wh__columns', 'wh__schema_log'])
