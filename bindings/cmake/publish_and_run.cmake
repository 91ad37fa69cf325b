# SPDX-License-Identifier: Apache-2.0
# Publishes the .NET PROJECT into OUTPUT and runs its PROGRAM from there.
file(REMOVE_RECURSE ${OUTPUT})
execute_process(COMMAND ${DOTNET} publish ${PROJECT} ${FLAGS} -v:minimal --output ${OUTPUT} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${OUTPUT}/${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
