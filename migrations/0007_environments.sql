-- Who may work on an environment beside admins: subjects, or * for everybody who may send. The deployment's own is everybody's.
ALTER TABLE environments ADD COLUMN members TEXT NOT NULL DEFAULT '[]' CHECK(json_type(members)='array');
