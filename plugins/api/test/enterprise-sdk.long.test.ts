/** A client of others drives the operations of the reference's paid edition that this package serves: its published SDK. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import { findPython, runPython } from '@srv/test-servers/python';
import type {} from '@srv/engine/contract';

const python = findPython('lakefs_enterprise_sdk');
const skip = python === undefined ? 'needs Python with lakefs-enterprise-sdk' : false;

const program = `
import io, json, sys, time, warnings, zipfile
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk

endpoint, key, secret = sys.argv[1:]
client = sdk.ApiClient(sdk.Configuration(host=endpoint + "/api/v1", username=key, password=secret))
commits, refs, internal, objects = sdk.CommitsApi(client), sdk.RefsApi(client), sdk.InternalApi(client), sdk.ObjectsApi(client)

def finished(ask):
    while not (status := ask()).completed:
        time.sleep(0.01)
    return status

found = {"offered": sdk.ConfigApi(client).get_config().capabilities_config.async_ops}
found["before"] = internal.get_branch_compaction("lakes", "dev").to_dict()
internal.compact_branch("lakes", "dev")
finished(lambda: type("Compaction", (), {"completed": internal.get_branch_compaction("lakes", "dev").compacted}))
found["folded"] = internal.get_branch_compaction("lakes", "dev").meta_range_id
task = commits.commit_async("lakes", "dev", sdk.CommitCreation(message="in the background"))
status = finished(lambda: commits.commit_async_status("lakes", "dev", task.id))
found["commit"] = [status.task_id == task.id, status.result.message, status.result.id]
task = commits.commit_async("lakes", "dev", sdk.CommitCreation(message="once more"))
status = finished(lambda: commits.commit_async_status("lakes", "dev", task.id))
found["nothing"] = [status.status_code, status.error.message]
task = refs.merge_into_branch_async("lakes", "dev", "main", merge=sdk.Merge(message="merged"))
found["merge"] = finished(lambda: refs.merge_into_branch_async_status("lakes", "dev", "main", task.id)).result.reference
archive = zipfile.ZipFile(io.BytesIO(objects.get_objects_archive("lakes", "main", path="folder/", recursive=True)))
found["archive"] = {name: archive.read(name).decode() for name in archive.namelist()}
print(json.dumps(found))
`;

it('lakefs-enterprise-sdk compacts, commits and merges in the background, and gets a folder as an archive', { skip }, async t => {
  const { url, kernel, key, stop } = await startSrv();
  t.after(stop);
  const engine = kernel.services.get('engine');
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  await engine.createBranch('lakes', 'dev', 'main');
  for (const path of ['folder/a', 'folder/deep/b', 'other'])
    await engine.putObject('lakes', 'dev', path, Buffer.from(`content of ${path}`));
  const printed = await runPython(python ?? '', ['-c', program, url, key.accessKeyId, key.secretAccessKey]);
  const [head, main] = await Promise.all([engine.getCommit('lakes', 'dev'), engine.getCommit('lakes', 'main')]);
  const { folded, ...found } = JSON.parse(printed) as { readonly folded: string };
  assert.equal(folded, head.metarangeId, 'all that is committed was folded before');
  assert.deepEqual(found, {
    offered: true,
    before: { compacted: false },
    commit: [true, 'in the background', head.id],
    nothing: [400, 'commit: no changes'],
    merge: main.id,
    archive: { a: 'content of folder/a', 'deep/b': 'content of folder/deep/b' },
  });
  assert.equal(main.message, 'merged');
});
