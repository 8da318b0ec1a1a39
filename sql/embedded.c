#include "CSQLFiles.h"
