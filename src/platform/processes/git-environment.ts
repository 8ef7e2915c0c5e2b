/**
 * The environment of every git call (SE19, WT4). No configuration of the machine or of a person is
 * read, no attributes of theirs, and no object is replaced by another. What could run something is
 * off besides: hooks, monitors, editors, signers, and all transports, so that nothing is fetched,
 * not even missing objects of a partial clone.
 */
const inheritedVariables = [
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'TMPDIR',
  'XDG_CONFIG_HOME',
  'SystemRoot',
  'USERPROFILE',
]

const nothing = process.platform === 'win32' ? 'NUL' : '/dev/null'

const fixedVariables: Readonly<Record<string, string>> = {
  'core.hooksPath': nothing,
  'core.attributesFile': nothing,
  'core.fsmonitor': 'false',
  'core.pager': 'cat',
  'core.editor': 'true',
  'sequence.editor': 'true',
  'core.quotePath': 'false',
  // A ref that a power cut has emptied would be in the way of all that looks at refs.
  'core.fsync': 'reference',
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
  // Otherwise git would run in each submodule with that submodule's configuration.
  'diff.submodule': 'short',
  'status.submoduleSummary': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'credential.helper': '',
  // WT4: a fixed identity, so that a machine without one works.
  'user.name': 'Holdfast',
  'user.email': 'agents@holdfast.invalid',
}

/** Passes on the variables of `ours` that git needs. `config` comes last and wins. */
export function gitEnvironment(
  ours: Readonly<Record<string, string | undefined>>,
  config: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const entries = Object.entries({ ...fixedVariables, ...config })
  return {
    ...Object.fromEntries(
      inheritedVariables.flatMap((name) => (ours[name] === undefined ? [] : [[name, ours[name]]])),
    ),
    // Fixed language for parsing, and no locks that disturb the agent's own git.
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_OPTIONAL_LOCKS: '0',
    // Overrides every `protocol.NAME.allow`: no transport is allowed.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: nothing,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  }
}
