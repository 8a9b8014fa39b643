/** A client of others logs in with a token of an identity provider: the published SDK of the reference's paid edition. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { findPython, runPython } from '@srv/test-servers/python';
import { claims, open } from './support/jwt-provider.js';

const python = findPython('lakefs_enterprise_sdk');
const skip = python === undefined ? 'needs Python with lakefs-enterprise-sdk' : false;

const program = `
import json, sys, warnings
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk

endpoint, token = sys.argv[1:]
host = endpoint + "/api/v1"
api = sdk.AuthApi(sdk.ApiClient(sdk.Configuration(host=host)))
session = api.jwt_login(sdk.JWTLoginInformation(token=token))
user = sdk.AuthApi(sdk.ApiClient(sdk.Configuration(host=host, access_token=session.token))).get_current_user().user.id
try:
    api.jwt_login(sdk.JWTLoginInformation(token=token[:-2] + "AA"))
    refused = 0
except sdk.ApiException as error:
    refused = error.status
print(json.dumps({"user": user, "expires": session.token_expiration is not None, "refused": refused}))
`;

it('lakefs-enterprise-sdk exchanges a token for a session, and is refused with a changed one', { skip }, async t => {
  const { url, privateKey } = await open(t);
  const token = await claims('ann').setExpirationTime('10m').sign(privateKey);
  assert.deepEqual(JSON.parse(await runPython(python ?? '', ['-c', program, url, token])), { user: 'ann', expires: true, refused: 401 });
});
