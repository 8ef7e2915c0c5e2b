#!/usr/bin/env node
/**
 * The program of the package (OP3), published as it is. It says in one sentence what is needed where Node is too old, and loads the rest
 * otherwise. Plain JavaScript, since an old Node could not even read the rest.
 */
'use strict'

var needed = /\d+/.exec(require('../../package.json').engines.node)[0]
if (Number(process.versions.node.split('.')[0]) < Number(needed)) {
  process.stderr.write(
    'Holdfast needs Node ' +
      needed +
      ' or later; this is ' +
      process.version +
      '. Install a newer one (https://nodejs.org) and run the same command again.\n',
  )
  process.exitCode = 1
} else import('./server/main.js')
