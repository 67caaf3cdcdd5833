"""samba_provision.py SMB_CONF LDIF: makes a domain, and entries in it.

samba-tool would want extended attributes of the file system, for shares that a
test does not have.
"""

import logging
import sys

import ldb
from samba.auth import system_session
from samba.dsdb import (
    DS_DOMAIN_FUNCTION_2008_R2,
    DSDB_CONTROL_BYPASS_PASSWORD_HASH_OID,
)
from samba.param import LoadParm
from samba.provision import provision

# No other account may set a password's age.
LONG_AGO = [f"local_oid:{DSDB_CONTROL_BYPASS_PASSWORD_HASH_OID}:0"]


def load(samdb, ldif):
    samdb.transaction_start()
    for change, message in samdb.parse_ldif(ldif):
        if change == ldb.CHANGETYPE_MODIFY:
            samdb.modify(message, LONG_AGO if "pwdLastSet" in message else [])
        else:
            message.remove("changetype")
            samdb.add(message)
    samdb.transaction_commit()


def main(smb_conf, ldif_file):
    configuration = LoadParm()
    configuration.load(smb_conf)
    made = provision(
        logging.getLogger(),
        system_session(),
        smbconf=smb_conf,
        lp=configuration,
        realm=configuration.get("realm"),
        domain=configuration.get("workgroup"),
        hostname=configuration.get("netbios name").lower(),
        hostip="127.0.0.1",
        dns_backend="NONE",
        serverrole="active directory domain controller",
        dom_for_fun_level=DS_DOMAIN_FUNCTION_2008_R2,
        use_rfc2307=True,
        skip_sysvolacl=True,
    )
    with open(ldif_file, encoding="utf-8") as ldif:
        load(made.samdb, ldif.read())


main(*sys.argv[1:])
