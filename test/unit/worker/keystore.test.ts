import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { decryptKey, encryptKey, WrongPassword } from '../../../src/worker/key/keystore.ts'

const Keystore = suite('worker keystore')

// The test vectors of the specification of web3 secret storage.
const SECRET = '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const SCRYPT = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '83dbcc02d8ccb40e466191a123791e0e' },
    ciphertext: 'd172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c',
    kdf: 'scrypt',
    kdfparams: {
      dklen: 32,
      n: 262144,
      r: 1,
      p: 8,
      salt: 'ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19',
    },
    mac: '2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
const PBKDF2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}

Keystore('reads what geth and others have written', async () => {
  for (const file of [SCRYPT, PBKDF2]) {
    const key = await decryptKey(JSON.stringify(file), 'testpassword')
    assert.is(key.toString('hex'), SECRET)
  }
  const { crypto, ...rest } = SCRYPT
  const early = JSON.stringify({ ...rest, Crypto: crypto })
  assert.is((await decryptKey(early, 'testpassword')).toString('hex'), SECRET)
})

Keystore('writes what it reads, and nothing of the key in the clear', async () => {
  const key = Buffer.from(SECRET, 'hex')
  const text = await encryptKey(key, 'pässword')
  assert.not.match(text, SECRET)
  assert.is((await decryptKey(text, 'pässword')).toString('hex'), SECRET)
  await refuses(text, 'password', WrongPassword)
})

Keystore('says what is wrong with a file that is none', async () => {
  const weak = { ...SCRYPT, crypto: { ...SCRYPT.crypto, cipher: 'rot13' } }
  await refuses(JSON.stringify(weak), 'testpassword', /cipher/)
  await refuses('not json', 'testpassword', /JSON object/)
  await refuses(JSON.stringify({ ...SCRYPT, version: 1 }), 'testpassword', /version/)
})

async function refuses(text: string, password: string, why: RegExp | typeof WrongPassword) {
  const error = await decryptKey(text, password).then(
    () => undefined,
    (cause: Error) => cause,
  )
  if (why instanceof RegExp) assert.match(error?.message ?? '', why)
  else assert.instance(error, why)
}

Keystore.run()
