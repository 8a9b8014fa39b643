/** A client of others drives the lifecycle: the published SDK of the reference's paid edition. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NeedsError, startSrv } from '@srv/test-servers';
import { findPython, runPython } from '@srv/test-servers/python';
import { startS3 } from '@srv/test-servers/s3';
import { temporaryFolder } from './fixture.js';
import type {} from '@srv/engine/contract';
import type { S3Server } from '@srv/test-servers/s3';

const python = findPython('lakefs_enterprise_sdk');
const skip = python === undefined ? 'needs Python with lakefs-enterprise-sdk' : false;

const program = `
import json, sys, warnings
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk

endpoint, key, secret = sys.argv[1:]
client = sdk.ApiClient(sdk.Configuration(host=endpoint + "/api/v1", username=key, password=secret))
api, internal = sdk.RepositoriesApi(client), sdk.InternalApi(client)

def status(call, *args, **more):
    try:
        call(*args, **more)
        return 0
    except sdk.ApiException as error:
        return error.status

policy = sdk.LifecyclePolicy(id="tries", name_patterns=["try-*"], max_age=60, max_inactivity_time=30, description="why")
rule = sdk.ObjectLifecycleRule(id="logs", branches=["main"], prefix="logs/", expire_after_days=3)
found = {"before": api.get_branch_lifecycle_policies("lakes").to_dict()}
found["set"] = api.set_branch_lifecycle_policies("lakes", sdk.LifecyclePolicies(policies=[policy])).to_dict()
answer = api.get_branch_lifecycle_policies_with_http_info("lakes")
etag = answer.headers["ETag"]
found["read"] = answer.data.to_dict()
found["other"] = status(api.set_branch_lifecycle_policies, "lakes", sdk.LifecyclePolicies(policies=[]), if_match="other")
found["mine"] = api.set_branch_lifecycle_policies("lakes", sdk.LifecyclePolicies(policies=[]), if_match=etag).to_dict()
found["preflight"] = status(internal.set_branch_lifecycle_policies_preflight, "lakes")
api.delete_branch_lifecycle_policies("lakes")
api.set_object_lifecycle_rules("lakes", sdk.ObjectLifecycleRules(rules=[rule]))
answer = api.get_object_lifecycle_rules_with_http_info("lakes")
found["rules"] = answer.data.to_dict()
found["otherRules"] = status(api.set_object_lifecycle_rules, "lakes", sdk.ObjectLifecycleRules(rules=[]), if_match="other")
api.set_object_lifecycle_rules("lakes", sdk.ObjectLifecycleRules(rules=[]), if_match=answer.headers["ETag"])
api.delete_object_lifecycle_rules("lakes")
found["after"] = api.get_object_lifecycle_rules("lakes").to_dict()
found["missing"] = status(api.get_object_lifecycle_rules, "none")
print(json.dumps(found))
`;

it('lakefs-enterprise-sdk sets, reads and removes policies for branches and rules for objects', { skip }, async t => {
  const { url, kernel, key, stop } = await startSrv({ plugins: ['gc'], config: { 'gc.cache_dir': await temporaryFolder(t) } });
  t.after(stop);
  await kernel.services.get('engine').createRepository({ id: 'lakes', storageNamespace: 'local://lakes' });
  const printed = await runPython(python ?? '', ['-c', program, url, key.accessKeyId, key.secretAccessKey]);
  const policy = { id: 'tries', name_patterns: ['try-*'], max_age: 60, max_inactivity_time: 30, description: 'why' };
  assert.deepEqual(JSON.parse(printed), {
    before: { policies: [] },
    set: { policies: [policy] },
    read: { policies: [policy] },
    other: 412,
    mine: { policies: [] },
    preflight: 0,
    rules: { rules: [{ id: 'logs', branches: ['main'], prefix: 'logs/', expire_after_days: 3 }] },
    otherRules: 412,
    after: { rules: [] },
    missing: 404,
  });
});

const storesProgram = `
import json, sys, tempfile, warnings
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk

endpoint, key, secret = sys.argv[1:]
client = sdk.ApiClient(sdk.Configuration(host=endpoint + "/api/v1", username=key, password=secret))
api, objects = sdk.RepositoriesApi(client), sdk.ObjectsApi(client)
stores = sdk.ConfigApi(client).get_config().storage_config_list
found = {"stores": [[store.blockstore_id, store.blockstore_description, store.blockstore_type] for store in stores]}
made = api.create_repository(sdk.RepositoryCreation(name="films", storage_namespace="mem://films", storage_id="ram"))
found["made"] = made.storage_id
api.create_repository(sdk.RepositoryCreation(name="books", storage_namespace="local://books"))
sdk.InternalApi(client).set_repository_metadata("books", sdk.RepositoryMetadataSet(metadata={"owner": "ann"}))
listed = api.list_repositories(include_total=True, include_metadata=True, amount=1)
found["listed"] = [listed.total, [[each.id, each.storage_id, each.metadata] for each in listed.results]]
with tempfile.NamedTemporaryFile() as file:
    file.write(b"abc")
    file.flush()
    objects.upload_object("films", "main", "a", content=file.name)
source = sdk.ObjectCopyCreation(src_path="a", src_ref="main")
found["copied"] = objects.copy_object("films", "main", "b", source).physical_address == objects.stat_object("films", "main", "a").physical_address
print(json.dumps(found))
`;

it('lakefs-enterprise-sdk creates repositories in two block stores, and copies an object by metadata', { skip }, async t => {
  const folder = await temporaryFolder(t);
  const single = ['blockstore.local.path', 'blockstore.local.import_enabled', 'blockstore.local.allowed_external_prefixes'];
  const { url, key, stop } = await startSrv({
    plugins: ['blockstores', 'block-mem'],
    config: {
      ...Object.fromEntries(single.map(name => [name, undefined])),
      'blockstore.type': 'multiple',
      'blockstores.stores': [
        { id: 'disk', description: 'a folder', backward_compatible: true, type: 'local', local: { path: folder } },
        { id: 'ram', type: 'mem' },
      ],
    },
  });
  t.after(stop);
  const printed = await runPython(python ?? '', ['-c', storesProgram, url, key.accessKeyId, key.secretAccessKey]);
  assert.deepEqual(JSON.parse(printed), {
    stores: [
      ['disk', 'a folder', 'local'],
      ['ram', '', 'mem'],
    ],
    made: 'ram',
    listed: [2, [['books', 'disk', { owner: 'ann' }]]],
    copied: true,
  });
});

const uploadProgram = `
import json, sys, urllib.request, urllib.error, re, warnings
warnings.simplefilter("ignore")
import lakefs_enterprise_sdk as sdk

endpoint, key, secret, namespace = sys.argv[1:]
client = sdk.ApiClient(sdk.Configuration(host=endpoint + "/api/v1", username=key, password=secret))
staging, objects = sdk.StagingApi(client), sdk.ObjectsApi(client)

def send(method, url, body=b"", headers={}):
    request = urllib.request.Request(url, data=body, method=method, headers=dict({"Content-Type": ""}, **headers))
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()

def completion(etags):
    parts = "".join("<Part><PartNumber>%d</PartNumber><ETag>%s</ETag></Part>" % (i + 1, etag) for i, etag in enumerate(etags))
    return ("<CompleteMultipartUpload>%s</CompleteMultipartUpload>" % parts).encode()

found = {"flag": sdk.ConfigApi(client).get_config().storage_config.client_multipart_upload}
sdk.RepositoriesApi(client).create_repository(sdk.RepositoryCreation(name="films", storage_namespace=namespace))

def begin(path):
    created = staging.presign_multipart_create_request("films", "main", path)
    status, _, text = send("POST", created.presigned_url)
    assert status == 200, text
    return created.physical_address, re.search("<UploadId>(.*)</UploadId>", text).group(1)

def link(path, address, etag, size):
    metadata = sdk.StagingMetadata(staging=sdk.StagingLocation(physical_address=address), checksum=etag, size_bytes=size)
    return staging.link_physical_address("films", "main", path, metadata)

pieces = [b"a" * (5 << 20), b"the end"]
address, upload = begin("large")
prepared = staging.presign_multipart_prepare_request("films", "main", upload, "large",
    sdk.PresignMultipartPrepareInput(physical_address=address, part_count=2))
etags = [send("PUT", url, piece)[1]["ETag"] for url, piece in zip(prepared.presigned_urls, pieces)]
status, _, text = send("POST", prepared.complete.presigned_url, completion(etags), prepared.complete.headers)
found["completed"] = status
link("large", address, re.search("<ETag>(.*)</ETag>", text).group(1).replace("&#34;", "").replace("&quot;", ""), sum(map(len, pieces)))
content = objects.get_object("films", "main", "large")
found["read"] = bytes(content) == b"".join(pieces)
found["overwrites"] = "If-None-Match" in {name.title() for name in prepared.complete.headers}
found["unsigned"] = send("POST", prepared.complete.presigned_url, completion(etags))[0] >= 400

address, upload = begin("copy")
given = sdk.PresignMultipartInput(physical_address=address)
source = sdk.UploadPartCopyFrom(physical_address=address, copy_source=sdk.CopyPartSource(repository="films", ref="main", path="large", range="bytes=5242880-5242882"))
part = staging.presign_multipart_copy_part_request("films", "main", upload, 1, "copy", source)
status, _, text = send("PUT", part.presigned_url, b"", part.headers)
assert status == 200, text
done = staging.presign_multipart_complete_request("films", "main", upload, "copy", given)
status, _, text2 = send("POST", done.presigned_url, completion([re.search("<ETag>(.*)</ETag>", text).group(1)]), done.headers)
assert status == 200, text2
link("copy", address, "x", 3)
found["copied"] = bytes(objects.get_object("films", "main", "copy")).decode()

address, upload = begin("given up")
gone = staging.presign_multipart_abort_request("films", "main", upload, "given up", sdk.PresignMultipartInput(physical_address=address))
found["aborted"] = send("DELETE", gone.presigned_url)[0]
print(json.dumps(found))
`;

it('lakefs-enterprise-sdk uploads in parts with requests that it sends to the store itself', { skip }, async t => {
  let s3: S3Server;
  try {
    s3 = await startS3('versitygw');
  } catch (error) {
    if (error instanceof NeedsError) return t.skip(`needs ${error.message}`);
    throw error;
  }
  t.after(() => s3.close());
  const local = ['blockstore.local.path', 'blockstore.local.import_enabled', 'blockstore.local.allowed_external_prefixes'];
  const { url, key, stop } = await startSrv({
    plugins: ['block-s3'],
    config: {
      ...Object.fromEntries(local.map(name => [name, undefined])),
      'blockstore.type': 's3',
      'blockstore.s3.endpoint': s3.url,
      'blockstore.s3.force_path_style': true,
      'blockstore.s3.discover_bucket_region': false,
      'blockstore.s3.credentials.access_key_id': s3.accessKeyId,
      'blockstore.s3.credentials.secret_access_key': s3.secretAccessKey,
    },
  });
  t.after(stop);
  const place = `${s3.namespace}/films`;
  const printed = await runPython(python ?? '', ['-c', uploadProgram, url, key.accessKeyId, key.secretAccessKey, place]);
  assert.deepEqual(JSON.parse(printed), {
    flag: true,
    completed: 200,
    read: true,
    overwrites: true,
    unsigned: true,
    copied: 'the',
    aborted: 204,
  });
});
