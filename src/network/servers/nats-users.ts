import {
  NATS_PERMISSIONS,
  NATS_ROLES,
  type NatsRole,
  type Permissions,
} from '../../bus/permissions.ts'

/** The variable of nats-server's environment that holds a user's password. */
export const passwordVariable = (role: NatsRole): string =>
  `SVC_NATS_${role.toUpperCase()}_PASSWORD`

const HEAD = `# The users of NATS, one a role, and what each may say and hear: made from src/bus/permissions.ts by
# \`npm run generate\`. nats-server reads the passwords from its environment: each begins with a letter.
# A role is told its own in NATS_URL: nats://edge:PASSWORD@HOST:4222
`

/** deploy/nats-users.conf: a part of nats-server's configuration, for an \`include\`. */
export const natsUsersFile = (): string =>
  `${HEAD}\nauthorization {\n  users: [\n${NATS_ROLES.map(user).join('')}  ]\n}\n`

const user = (role: NatsRole): string => `    {
      user: ${role}
      password: $${passwordVariable(role)}
      permissions: {
${permissions(NATS_PERMISSIONS[role])}      }
    }
`

const permissions = ({ publish, subscribe, answersWithin }: Permissions): string =>
  [
    list('publish', publish),
    list('subscribe', subscribe),
    answersWithin && `        allow_responses: { max: 1, expires: "${answersWithin}" }\n`,
  ]
    .filter(Boolean)
    .join('')

// Quoted: what begins with a dollar sign is a variable otherwise.
const list = (name: string, subjects: readonly string[]): string => {
  const lines = [...new Set(subjects)].sort().map((subject) => `          "${subject}"\n`)
  return `        ${name}: {\n          allow: [\n${lines.map((line) => `  ${line}`).join('')}          ]\n        }\n`
}
