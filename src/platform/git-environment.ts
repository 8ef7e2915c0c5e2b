/**
 * The environment that every git call of ours gets (SE4, WT4). It closes what a repository could make git run: hooks, monitors, editors, signers,
 * and every transport, so that nothing is fetched, not even objects that a partial clone lacks. What a repository names for single files or
 * submodules has no fixed key; coordinator/worktrees/repository.ts finds it and passes it as `config`.
 */
const inheritedVariables = ['HOME', 'PATH', 'USER', 'LOGNAME', 'TMPDIR', 'XDG_CONFIG_HOME', 'SystemRoot', 'USERPROFILE']

const fixedVariables: Readonly<Record<string, string>> = {
  'core.hooksPath': process.platform === 'win32' ? 'NUL' : '/dev/null',
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.editor': 'true',
  'sequence.editor': 'true',
  'core.quotePath': 'false',
  'commit.gpgSign': 'false',
  'log.showSignature': 'false',
  'merge.verifySignatures': 'false',
  'gpg.program': 'false',
  'gpg.openpgp.program': 'false',
  'gpg.x509.program': 'false',
  'gpg.ssh.program': 'false',
  'gpg.ssh.defaultKeyCommand': 'false',
  'merge.autoStash': 'false',
  'rebase.autoStash': 'false',
  'rebase.updateRefs': 'false',
  'rerere.enabled': 'false',
  'submodule.recurse': 'false',
  // Either of them would start git in each submodule, where only that submodule's own configuration counts.
  'diff.submodule': 'short',
  'status.submoduleSummary': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'credential.helper': '',
  // WT4: an identity of its own, so that a machine without one works.
  'user.name': 'Holdfast',
  'user.email': 'agents@holdfast.invalid',
}

/** `ours`: what of it git needs is handed on. `config` comes last, and so counts. */
export function gitEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Object.entries({ ...fixedVariables, ...config })
  return {
    ...Object.fromEntries(inheritedVariables.flatMap((name) => (ours[name] === undefined ? [] : [[name, ours[name]]]))),
    // Words we read, and no lock that the agent's own git would run into.
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_OPTIONAL_LOCKS: '0',
    // Stronger than any `protocol.NAME.allow`: the list of transports that may be used is empty.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}
