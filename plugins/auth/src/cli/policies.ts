import { text as textOfStream } from 'node:stream/consumers';
import { messageOf } from '@srv/kernel';
import { defineCommand, formatDate, listed, paginationOptions, readNamed, reasonOf, table } from '@srv/lib-commands';
import { createdBlock, given, policyIdOption } from './options.js';
import type { Client } from '@srv/lib-api/client';
import type { CommandContext } from '@srv/lib-commands';

type Policy = Awaited<ReturnType<Client['getPolicy']>>;
type Statement = Policy['statement'][number];

export const authPoliciesCreate = defineCommand({
  name: 'auth policies create',
  summary: 'Create a policy',
  description: 'The document is JSON: {"statement":[{"action":["fs:ReadObject"],"effect":"allow","resource":"*"}]}.',
  examples: [
    'cli auth policies create --id ReadImages --statement-document policy.json',
    'cat policy.json | cli auth policies create --id ReadImages --statement-document -',
  ],
  options: [
    policyIdOption,
    { name: 'statement-document', type: 'string', required: true, description: 'JSON statement document path (or "-" for standard input)' },
  ],
  readsInput: true,
  async run(context, input) {
    const statement = await readStatements(given(input, 'statement-document'), context.input);
    return (await context.client()).createPolicy({ body: { id: given(input, 'id'), statement } });
  },
  render: (policy, context) => `${createdBlock('Policy', policy, context)}\n${statementsText(policy)}`,
});

export const authPoliciesDelete = defineCommand({
  name: 'auth policies delete',
  summary: 'Delete a policy and its attachments',
  examples: ['cli auth policies delete --id OldPolicy'],
  options: [policyIdOption],
  async run(context, input) {
    const id = given(input, 'id');
    await (await context.client()).deletePolicy({ policyId: id });
    return { id };
  },
  render: () => 'Policy deleted successfully.',
});

export const authPoliciesShow = defineCommand({
  name: 'auth policies show',
  summary: 'Show a policy',
  examples: ['cli auth policies show --id FSReadAll'],
  options: [policyIdOption],
  run: async (context, input) => (await context.client()).getPolicy({ policyId: given(input, 'id') }),
  render: (policy, { terminal: { colours } }) =>
    [
      `ID: ${colours.bold(policy.id)}`,
      ...(policy.creation_date === undefined ? [] : [`Creation Date: ${formatDate(policy.creation_date)}`]),
      statementsText(policy),
    ].join('\n'),
});

export const authPoliciesList = defineCommand({
  name: 'auth policies list',
  summary: 'List policies',
  examples: ['cli auth policies list'],
  options: paginationOptions,
  async run(context, input) {
    const api = await context.client();
    return listed(context, input, query => api.listPolicies(query));
  },
  render: ({ results }, { terminal }) =>
    table(
      ['Policy ID', 'Creation Date'],
      results.map(p => [p.id, p.creation_date === undefined ? '' : formatDate(p.creation_date)]),
      terminal,
    ),
});

/** One row per statement. */
export function policyRows(policies: readonly Policy[]): string[][] {
  return policies.flatMap(({ id, creation_date: date, statement }) => {
    const created = date === undefined ? '' : formatDate(date);
    return statement.map(({ resource, effect, action }, index) => [id, created, String(index), resource, effect, action.join(', ')]);
  });
}

export const policyColumns = ['Policy ID', 'Creation Date', 'Statement #', 'Resource', 'Effect', 'Actions'];

/** @throws Error when the document cannot be read or is not a statement document. */
async function readStatements(file: string, input: CommandContext['input']): Promise<Statement[]> {
  let content: string;
  try {
    content = file === '-' ? await textOfStream(input) : (await readNamed(file)).toString('utf8');
  } catch (error) {
    throw new Error(`could not open policy document: ${reasonOf(error)}`, { cause: error });
  }
  try {
    const { statement } = JSON.parse(content) as { statement?: unknown };
    if (!Array.isArray(statement)) throw new Error('a field "statement" with a list is expected');
    return statement as Statement[];
  } catch (error) {
    throw new Error(`could not parse statement JSON document: ${messageOf(error)}`, { cause: error });
  }
}

function statementsText({ statement }: Policy): string {
  return `Statements:\n${JSON.stringify(statement.map(readable), null, 2)}`;
}

/** A resource can be a JSON list written as text; people see the list. */
function readable(statement: Statement): object {
  try {
    const resource: unknown = JSON.parse(statement.resource);
    return Array.isArray(resource) ? { ...statement, resource } : statement;
  } catch {
    return statement;
  }
}
