/** Loads on objects. */
import { argument, branchArgument, defineCommand, required, textOf } from '@srv/lib-commands';
import { amountOf, amountOption, fromFileOption, linkEmpty, load, parallelismOption, prefixOption, randomKeys } from './define.js';
import { numbers, reportText } from './load.js';

const source = required('source ref URI', 'srv://<repository>/<ref>');

export const abuseLinkSameObject = defineCommand({
  name: 'abuse link-same-object',
  localEffects: true,
  summary: 'Link the same object again and again',
  examples: ['cli abuse link-same-object srv://example-repo/main --amount 10'],
  hidden: true,
  arguments: [branchArgument],
  options: [
    amountOption(1_000_000),
    { name: 'key', type: 'string', default: 'linked-object', description: 'path of the object' },
    parallelismOption,
  ],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Source branch', uri);
    const api = await context.client();
    const key = textOf(input.options.key) ?? '';
    return load(context, input, 'link-same-object', numbers(amountOf(input)), () => linkEmpty(api, uri, key));
  },
  render: reportText,
});

export const abuseList = defineCommand({
  name: 'abuse list',
  summary: 'List the first page of a prefix',
  examples: ['cli abuse list srv://example-repo/main --amount 10 --prefix images/'],
  hidden: true,
  arguments: [source],
  options: [amountOption(1_000_000), parallelismOption, prefixOption],
  async run(context, input) {
    const { repository, ref } = context.uri.ref(argument(input, 0), 'source ref');
    const api = await context.client();
    const prefix = textOf(input.options.prefix) ?? '';
    return load(context, input, 'list', numbers(amountOf(input)), () => api.listObjects({ repository, ref, prefix }));
  },
  render: reportText,
});

export const abuseRandomRead = defineCommand({
  name: 'abuse random-read',
  summary: 'Read the metadata of random objects of a list',
  examples: ['cli abuse random-read srv://example-repo/main --amount 10 --from-file paths.txt'],
  hidden: true,
  arguments: [source],
  options: [amountOption(1_000_000), fromFileOption, parallelismOption],
  async run(context, input) {
    const { repository, ref } = context.uri.ref(argument(input, 0), 'source ref');
    const keys = await randomKeys(context, input);
    const api = await context.client();
    return load(context, input, 'random-read', keys, path => api.statObject({ repository, ref, path }));
  },
  render: reportText,
});

export const abuseRandomDelete = defineCommand({
  name: 'abuse random-delete',
  localEffects: true,
  summary: 'Delete random objects of a list',
  examples: ['cli abuse random-delete srv://example-repo/main --amount 2 --from-file paths.txt'],
  hidden: true,
  arguments: [source],
  options: [amountOption(1_000_000), fromFileOption, parallelismOption],
  async run(context, input) {
    const { repository, ref: branch } = context.uri.branch(argument(input, 0), 'source ref');
    const keys = await randomKeys(context, input);
    const api = await context.client();
    return load(context, input, 'random-delete', keys, path => api.deleteObject({ repository, branch, path }));
  },
  render: reportText,
});

export const abuseRandomWrite = defineCommand({
  name: 'abuse random-write',
  localEffects: true,
  summary: 'Link objects under a prefix',
  examples: ['cli abuse random-write srv://example-repo/main --amount 10 --prefix load/'],
  hidden: true,
  arguments: [branchArgument],
  options: [amountOption(1_000_000), parallelismOption, prefixOption],
  async run(context, input) {
    const uri = context.uri.branch(argument(input, 0));
    context.echo('Source branch', uri);
    const api = await context.client();
    const prefix = textOf(input.options.prefix) ?? '';
    return load(context, input, 'random-write', numbers(amountOf(input)), index => linkEmpty(api, uri, `${prefix}file-${index}`));
  },
  render: reportText,
});
