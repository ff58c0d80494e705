/**
 * Installs the WebDAV server of the tests, WsgiDAV, into the repository's `.cache`, unless it is there already.
 *
 *     node test/engines/wsgidav/install.ts
 *
 * Needs Python 3 with venv. Ends with 1 and says why when it cannot be installed.
 */
import { installPython } from '../python-package.ts'
import { CHEROOT, environment, VERSION, wsgidav } from './binary.ts'

const packages = [`wsgidav==${VERSION}`, `cheroot==${CHEROOT}`, 'defusedxml==0.7.1']
await installPython({ name: 'WsgiDAV', found: wsgidav, environment, packages })
