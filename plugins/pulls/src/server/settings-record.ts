/** The settings as they are stored: `settings/pull_request` in the repository's partition. */
import { ProtoWriter, readFields, unknownFieldsOf, withUnknownFields } from '@srv/lib-records';
import type { ApprovalRule, PullRequestSettings } from '../contract.js';

const known = new Set([1, 2]);

/** Fields: 1 whether merges delete the source, 2 rules of a pattern (1) and a number of approvals (2). */
export function encodeSettings(settings: PullRequestSettings): Buffer {
  const { deleteSourceOnMerge, rules } = settings;
  const writer = new ProtoWriter().bool(1, deleteSourceOnMerge);
  for (const { pattern, approvals } of rules) writer.message(2, new ProtoWriter().string(1, pattern).int(2, approvals).finish());
  return writer.raw(unknownFieldsOf(settings)).finish();
}

/** @throws SrvError `corrupt`. */
export function decodeSettings(bytes: Buffer): PullRequestSettings {
  let deleteSourceOnMerge = false;
  const rules: ApprovalRule[] = [];
  for (const { field, int, bytes: value } of readFields(bytes, 'pull request settings')) {
    if (field === 1) deleteSourceOnMerge = int !== 0;
    else if (field === 2) rules.push(decodeRule(value));
  }
  return withUnknownFields({ deleteSourceOnMerge, rules }, bytes, known);
}

function decodeRule(bytes: Buffer): ApprovalRule {
  let [pattern, approvals] = ['', 0];
  for (const { field, int, bytes: value } of readFields(bytes, 'approval rule')) {
    if (field === 1) pattern = value.toString('utf8');
    else if (field === 2) approvals = int;
  }
  return { pattern, approvals };
}
