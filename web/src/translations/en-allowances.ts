/** The words of "allow always" in English. */
export const allowances = {
  always: 'Always allow…',
  give: 'Allow from now on',
  what: 'What',
  scopes: { request: 'Exactly this', folder: 'Files in a folder', tool: 'This kind of tool' },
  hints: {
    request: 'The same call to the last character. Anything else is asked.',
    folder: (folder: string) => `With the same kind of tool, in ${folder} and below.`,
    tool: (tool: string) => `Every call of the kind “${tool}”, which changes nothing.`,
  },
  howLong: 'How long',
  durations: { 60: '1 hour', 480: '8 hours', 10080: '1 week', 43200: '30 days' } as Record<
    number,
    string
  >,
  forWhom: (agent: string) =>
    `It holds for ${agent} in this project and can be taken back under Approvals.`,
  title: 'Always allowed',
  until: (time: string) => `until ${time}`,
  by: (who: string) => `by ${who}`,
  revoke: 'Take back',
  revokeName: (title: string) => `Take back: ${title}`,
  revoked: 'Taken back. It asks again the next time.',
  byPolicy: (policy: string) => `Project policy: ${policy}`,
  byAlways: (who: string) => `Always allowed by ${who}`,
}
