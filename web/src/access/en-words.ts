/** The texts of connecting an editor, in English. */
export const editors = {
  connect: 'Connect VS Code',
  about:
    'VS Code lists the sessions, begins new ones and answers what agents ask. It connects as you, with what you tick here, until you revoke its token.',
  address: 'Address for VS Code',
  how: (host: string) =>
    `Where VS Code asks for an agent host: the address is ${host}, the connection token is what stands behind tkn=.`,
}
