/** A client of others drives pull requests: the published SDK of the reference's paid edition. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import { findPython, runPython } from '@srv/test-servers/python';
import type {} from '@srv/engine/contract';

const python = findPython('lakefs_enterprise_sdk');
const skip = python === undefined ? 'needs Python with lakefs-enterprise-sdk' : false;

const program = `
import json, sys, warnings
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk

endpoint, key, secret = sys.argv[1:]
client = sdk.ApiClient(sdk.Configuration(host=endpoint + "/api/v1", username=key, password=secret))
pulls, repositories, internal = sdk.PullsApi(client), sdk.RepositoriesApi(client), sdk.InternalApi(client)

def status(call, *args, **more):
    try:
        call(*args, **more)
        return 0
    except sdk.ApiException as error:
        return error.status

made = pulls.create_pull_request("lakes", sdk.PullRequestCreation(title="t", source_branch="dev", destination_branch="main"))
at = ("lakes", made.id)
internal.pull_request_comment_write_allowed(*at)
top = pulls.create_pull_request_comment(*at, sdk.PullRequestCommentCreation(body="Why?")).id
reply = pulls.create_pull_request_comment(*at, sdk.PullRequestCommentCreation(body="So.", parent_id=top)).id
pulls.update_pull_request_comment(*at, top, sdk.PullRequestCommentUpdate(body="Why so?", resolved=True))
shown = pulls.get_pull_request_comment(*at, top)
pulls.delete_pull_request_comment(*at, reply)
page = pulls.list_pull_request_comments(*at, amount=1)
rest = pulls.list_pull_request_comments(*at, after=page.pagination.next_offset)
before = repositories.get_pull_request_settings("lakes").delete_source_branch_on_merge
repositories.set_pull_request_settings("lakes", sdk.PullRequestSettings(delete_source_branch_on_merge=True))
after = repositories.get_pull_request_settings("lakes").delete_source_branch_on_merge
nested = status(pulls.create_pull_request_comment, *at, sdk.PullRequestCommentCreation(body="x", parent_id=reply))
merged = pulls.merge_pull_request(*at)
print(json.dumps({
    "shown": [shown.author_id, shown.author, shown.body, shown.resolved, shown.resolved_by_id, shown.deleted],
    "pages": [len(page.results), page.pagination.has_more, [[c.parent_id == top, c.body, c.deleted] for c in rest.results]],
    "settings": [before, after],
    "nested": nested,
    "source": status(sdk.BranchesApi(client).get_branch, "lakes", "dev"),
    "status": pulls.get_pull_request(*at).status,
    "missing": status(pulls.get_pull_request_comment, *at, "coddo7tpocvs73ftd7u0"),
}))
`;

it('lakefs-enterprise-sdk comments in threads, changes settings, and merges', { skip }, async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['pulls'] });
  t.after(stop);
  const engine = kernel.services.get('engine');
  await engine.createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  await engine.createBranch('lakes', 'dev', 'main');
  await engine.putObject('lakes', 'dev', 'a', Buffer.from('a'), {});
  await engine.commit('lakes', 'dev', { committer: 'ann', message: 'a' });
  const printed = await runPython(python ?? '', ['-c', program, url, key.accessKeyId, key.secretAccessKey]);
  assert.deepEqual(JSON.parse(printed), {
    shown: ['admin', 'admin', 'Why so?', true, 'admin', false],
    pages: [1, true, [[true, '', true]]],
    settings: [false, true],
    nested: 400,
    source: 404,
    status: 'merged',
    missing: 404,
  });
});
