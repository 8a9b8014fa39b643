/** Keys of logging. */
import { defineConfig, key } from '@srv/kernel';

const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'NONE'] as const;

export default defineConfig({
  plugin: 'logging',
  keys: {
    'logging.format': key.text({ values: ['json', 'text'], type: '`json` or `text`', default: 'text', meaning: 'Format of a log line' }),
    'logging.level': key.text({ values: levels, default: 'INFO', meaning: 'Lines below this level are not written; NONE writes nothing' }),
    'logging.audit_log_level': key.text({
      values: levels,
      type: 'same set as level',
      default: 'DEBUG',
      meaning: 'Level of the one line per request; when lower than logging.level there are no such lines',
    }),
    'logging.output': key.list({
      type: 'string',
      default: ['-'],
      defaultText: '-',
      meaning: 'Where to write: - is standard output, = is standard error, anything else a file; several as a list or separated by commas',
    }),
    'logging.file_max_size_mb': key.int({
      min: 1,
      default: 100,
      meaning: 'A log file that would exceed this size is renamed and a new one is created',
    }),
    'logging.files_keep': key.int({ min: 0, default: 0, meaning: 'Set-aside log files to keep; 0 keeps all' }),
    'logging.trace_request_headers': key.bool({ default: false, meaning: 'Accepted for compatibility; has no effect' }),
  },
});
