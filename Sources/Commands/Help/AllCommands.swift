/// Every command, in the order of the help.
let allCommands: [CommandSpec] =
    schemaCommands + tenantCommands + userCommands + applicationCommands + personCommands
    + keyCommands + runCommands
    + questionCommands + jobCommands
    + importCommands + terminalCommands
