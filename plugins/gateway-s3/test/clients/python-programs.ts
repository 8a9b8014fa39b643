/** Clients that are Python packages: `clients.py` has the same steps for each. */
import { fileURLToPath } from 'node:url';
import { PythonProcess, findPython, runPython } from '@srv/test-servers/python';
import { accessKeyId, secretAccessKey } from '../support/server.js';
import { awkwardNames } from './awkward-names.js';
import { canCarry, emptyBranch, notInXml } from './program.js';
import type { S3Program, Steps } from './program.js';

const script = fileURLToPath(new URL('../../../test/clients/clients.py', import.meta.url));

/** @param modules that must be installed, the client first. */
function pythonProgram(
  name: string,
  modules: readonly [string, ...string[]],
  stepsOf: (call: Call) => Steps,
  inexpressible: S3Program['inexpressible'] = [],
): S3Program {
  const python = findPython(...modules);
  return {
    name,
    inexpressible,
    version: async () =>
      python && (await runPython(python, ['-c', 'import sys, importlib.metadata as m; print(m.version(sys.argv[1]))', modules[0]])).trim(),
    steps(site) {
      let client: PythonProcess | undefined;
      const call: Call = (step, ...args) => {
        if (python === undefined) throw new Error(`${name} is not installed`);
        client ??= new PythonProcess(python, [script, site.url, site.bucket, accessKeyId, secretAccessKey, modules[0]], site.folder);
        return client.call([step, ...args]);
      };
      return { ...stepsOf(call), end: async () => client?.end() };
    },
  };
}

type Call = (step: string, ...args: string[]) => Promise<string>;

const all = (call: Call): Steps => ({
  buckets: () => call('buckets'),
  put: (file, key) => call('put', file, key),
  get: (key, file) => call('get', key, file),
  range: (key, first, last) => call('range', key, String(first), String(last)),
  putLarge: (file, key) => call('put_large', file, key),
  copy: (from, to) => call('copy', from, to),
  remove: key => call('remove', key),
  syncUp: (folder, prefix) => call('sync_up', folder, prefix),
  syncDown: (prefix, folder) => call('sync_down', prefix, folder),
  copyAll: (from, to) => call('copy_all', from, to),
  removeAll: prefix => call('remove_all', prefix),
});

export const boto3 = pythonProgram('boto3', ['boto3'], call => ({
  ...all(call),
  more: {
    'bulk removal, pre-signed URLs of versions 2 and 4, requests of version 2, metadata': prefix => call('more', prefix),
    'checksums of uploads in parts': prefix => call('checksums', prefix),
  },
}));
export const s3fs = pythonProgram('s3fs', ['s3fs'], all);
export const pyarrow = pythonProgram(
  'PyArrow (AWS SDK for C++)',
  ['pyarrow'],
  call => ({ ...all(call), more: { 'data sets, also in the root of a branch': prefix => call('datasets', prefix, emptyBranch) } }),
  [notInXml],
);
const patterns = { names: /[*?[\]\\]/, because: 'it takes them for patterns' };
export const duckdb = pythonProgram('DuckDB httpfs', ['duckdb', 'duckdb_extensions'], call => ({
  more: {
    'write and read awkward names': prefix =>
      call('names', prefix, JSON.stringify(awkwardNames.filter(canCarry({ inexpressible: [patterns] })))),
    'write and read CSV': prefix => call('csv', prefix),
    'Parquet of 100 MB in parts, one column by ranges': prefix => call('parquet', prefix),
    'files by pattern': prefix => call('pattern', prefix),
  },
}));
