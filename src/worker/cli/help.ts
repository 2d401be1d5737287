import { standardOf } from '../../config/print.ts'
import { workerSchema } from '../../config/worker-schema.ts'
import { COMMANDS } from './arguments.ts'
import { SETTINGS } from './settings.ts'

const WIDTH = 96

/** What `--help` shows: every command, and every setting with its variable and its default. */
export function helpText(): string {
  return [
    'Serves chat completions of your own inference server to the network, and earns for it.',
    '',
    '  svc-worker [command] [flags]        npm run worker -- [command] [flags]',
    '',
    'Commands',
    ...Object.entries(COMMANDS).map(([name, about]) => `  ${name.padEnd(10)} ${about}`),
    '',
    'Settings: a flag wins over a variable, a variable over the file, the file over the default.',
    'In the file a setting has the name of its flag without the dashes.',
    ...Object.entries(SETTINGS).flatMap(([setting, { name, secret }]) =>
      about(setting as keyof typeof SETTINGS, secret ? `"${name}"` : `--${name}`),
    ),
    '',
    '  --config FILE    read settings from this file, not from worker.json in the home folder',
    '  --json           for programs: status as JSON',
    '  --print-config   show every setting as it is taken, and end; secrets are not shown',
    '  --help  --version',
    '',
    'Exit codes: 0 done or drained, 1 it could not be done (the reason is on stderr), 70 a bug.',
    '',
  ].join('\n')
}

function about(setting: keyof typeof SETTINGS, shown: string): string[] {
  const schema = workerSchema.shape[setting]
  const standard = standardOf(schema)
  return [
    '',
    `  ${shown}, ${setting}${standard ? ` [${standard}]` : ''}`,
    ...wrap(schema.description ?? '', WIDTH, '      '),
  ]
}

function wrap(text: string, width: number, indent: string): string[] {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    if (line.length + word.length > width && line !== indent) {
      lines.push(line.trimEnd())
      line = indent
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()]
}
