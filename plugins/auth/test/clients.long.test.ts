/** A client of others logs in from a terminal: the published SDK of the reference's paid edition. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { startSrv } from '@srv/test-servers';
import { findPython, runPython } from '@srv/test-servers/python';

const python = findPython('lakefs_enterprise_sdk');
const skip = python === undefined ? 'needs Python with lakefs-enterprise-sdk' : false;

const program = `
import http.client, json, sys, urllib.parse, warnings
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk

endpoint, key, secret = sys.argv[1:]
host = endpoint + "/api/v1"
terminal = sdk.AuthApi(sdk.ApiClient(sdk.Configuration(host=host)))
# What a page does whose user is logged in.
page = sdk.AuthApi(sdk.ApiClient(sdk.Configuration(host=host, username=key, password=secret)))

def status(call, *args):
    try:
        call(*args)
        return 0
    except sdk.ApiException as error:
        return error.status

# The SDK follows the redirection, whose headers are the answer.
connection = http.client.HTTPConnection(urllib.parse.urlsplit(endpoint).netloc)
connection.request("GET", "/api/v1/auth/get-token/start")
start = connection.getresponse()
mailbox = start.headers["X-LakeFS-Mailbox"]
request = urllib.parse.parse_qs(urllib.parse.urlsplit(start.headers["Location"]).query)["request"][0]
found = {"start": start.status, "empty": status(terminal.get_token_from_mailbox, mailbox)}
found["anonymous"] = status(terminal.release_token_to_mailbox, request)
page.release_token_to_mailbox(request)
token = terminal.get_token_from_mailbox(mailbox)
found["user"] = sdk.AuthApi(sdk.ApiClient(sdk.Configuration(host=host, access_token=token.token))).get_current_user().user.id
found["twice"] = status(terminal.get_token_from_mailbox, mailbox)
print(json.dumps(found))
`;

it('lakefs-enterprise-sdk takes the token of a login that a page has allowed, once', { skip }, async t => {
  const { url, key, stop } = await startSrv({ config: { 'auth.ui_config.rbac': 'internal' } });
  t.after(stop);
  const printed = await runPython(python ?? '', ['-c', program, url, key.accessKeyId, key.secretAccessKey]);
  assert.deepEqual(JSON.parse(printed), { start: 303, empty: 404, anonymous: 401, user: 'admin', twice: 404 });
});
